/** Stop words: they have a low weight, and match only when a query has no other words. Written in folded form. */
const texts = [
  // English
  "a about again all also am an and any are as at be because been before but by can could did do does doing for from get had has have having he her here him his how i if in into is it its just like me more my no not now of on or our out she should so some than that the their them then there these they this those to too up us was we were what when where which who whom why will with would you your s t d m ll re ve tell remember remind know",
  // German
  "aber alle als also am an auch auf aus bei bin bis da das dass dein dem den der des die dies diese doch du ein eine einem einen einer er es fur habe haben hat ich ihr im in ist ja kann mein meine mich mir mit nach nicht noch nur oder sein seine sich sie sind so und uns unser von vor war was wann warum wo wer wie wir wird zu zum zur uber welche welcher welches",
  // French
  "au aux avec ce ces cette dans de des du elle en est et eux il ils je j l la le les leur lui ma mais me mes moi mon ne nos notre nous on ou par pas pour qu que quel quelle quels quelles qui sa se ses son sur ta te tes toi ton tu un une vos votre vous c n y ai as ont quand comment pourquoi",
  // Spanish, Portuguese, Italian
  "al como con cual cuales cuando del donde el ella ellos en eres es esta este fue ha hay la las le lo los me mi mis nos o para pero por porque que quien se si sin son soy su sus te tu tus un una unos y ya yo ao aos com da das do dos e ele ela em foi mais mas meu minha na nas no nao nos num numa os ou pelo pela qual quais quem seu sua tem um uma voce che chi ci cosa da dal dei del della delle di dove gli ho i il io mia mio nel non per quale quali quando sono suo tua tuo uno",
  // Dutch, Swedish, Danish, Norwegian
  "aan dat de een en er het hij hoe ik in is je mijn naar niet of om op te van voor waar wat we wie wij zijn att av den det dig du ett han hon hur i jag med min mitt och om pa som till var vad vi ar at dit er et hvad hvem hvor mig og til jeg",
  // Polish, Czech, Turkish
  "ale co czy do gdzie i jak jest jaki jaka jakie ja kiedy kto ma mi mnie moj moja na nie o od po sie to w we z za je jsem kde kdo kdy ktery ktera me muj proc s se si v ve ben bir bu da de ile icin kim mi mu ne nerede ve benim hangi",
  // Russian, Ukrainian
  "а без в во вот все где да для до его ее если есть еще и из или их к как какая какие какой какое когда кто меня мне мой моя мое мои мы на не него нет ни но о об он она они от по под при с со так то тот у уже что чтобы это этот я де до за коли мене мені мій моя наш про та хто чи шо що як який яка яке є і й",
  // Greek
  "αν απο αυτο αυτοσ για δεν εγω ειμαι ειναι εχει εχω η ηταν θα και με μου να ο οι ποιο ποια ποιοσ ποτε που προσ πωσ σε στη στην στο στον τα τη την τησ τι το τον του τουσ των",
  // Arabic, Hebrew
  "ان انا انت اين او الي التي الذي بعد بين عن علي عند في قد كان كل كم كيف لا لم لماذا لي ما ماذا متي مع من هذا هذه هل هو هي و يا אז אין איך איפה אל אם אני את אתה גם הוא היא הם זה זאת זו יש כי כל כמה לא לי לך מה מי מתי על עם של שלי שלך",
  // Hindi
  "और इस उस एक का कब कहां किस की के को कौन क्या क्यों कैसे जो तक तो था थी थे ने पर भी में मेरा मेरी मेरे मुझे मैं यह वह से हम है हैं हो"
]

export const stopWords: ReadonlySet<string> = new Set(texts.flatMap((text) => text.split(" ")))

/** Frequent function characters; pairs that contain one have a low weight. */
export const stopCharacters: ReadonlySet<string> = new Set(
  "的了是吗嗎呢我你他她它们們在有和与與就都也不很这這那什么麼怎哪谁誰"
)
