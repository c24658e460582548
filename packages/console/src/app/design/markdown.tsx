/**
 * Markdown that a repository or a person has written. The text is parsed to tokens, and each token becomes an element, so
 * that no part of it is used as HTML: HTML in the text is shown as text. Images are links, because they would be loaded
 * from other servers.
 */
import { type MarkedToken, type Token, lexer } from "marked"
import type { ReactNode } from "react"
import "./markdown.css"

const isLinked = (href: string) => /^(https?:|mailto:)/i.test(href)

const link = (href: string, content: ReactNode, key: number) =>
  isLinked(href) ? (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  ) : (
    <span key={key}>{content}</span>
  )

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }
/** The parser escapes some text for HTML, which React does again. */
const plain = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? "")

const headings = ["h2", "h3", "h4", "h5", "h6", "h6"] as const

/** The tokens of the parser without extensions. The type of a token says which fields it has. */
const tokenTypes: Readonly<Record<MarkedToken["type"], true>> = {
  blockquote: true,
  br: true,
  checkbox: true,
  code: true,
  codespan: true,
  def: true,
  del: true,
  em: true,
  escape: true,
  heading: true,
  hr: true,
  html: true,
  image: true,
  link: true,
  list: true,
  list_item: true,
  paragraph: true,
  space: true,
  strong: true,
  table: true,
  text: true
}

const isKnown = (token: Token): token is MarkedToken => Object.hasOwn(tokenTypes, token.type)

const render = (token: Token, key: number): ReactNode => {
  if (!isKnown(token)) return <span key={key}>{token.raw}</span>
  const inner = () => children("tokens" in token ? token.tokens : undefined, "text" in token ? token.text : "")
  switch (token.type) {
    case "heading": {
      const Heading = headings[token.depth - 1] ?? "h6"
      return <Heading key={key}>{inner()}</Heading>
    }
    case "paragraph":
      return <p key={key}>{inner()}</p>
    case "blockquote":
      return <blockquote key={key}>{inner()}</blockquote>
    case "code":
      return (
        <pre key={key} className="code" tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      )
    case "codespan":
      return <code key={key}>{plain(token.text)}</code>
    case "strong":
      return <strong key={key}>{inner()}</strong>
    case "em":
      return <em key={key}>{inner()}</em>
    case "del":
      return <del key={key}>{inner()}</del>
    case "br":
      return <br key={key} />
    case "hr":
      return <hr key={key} />
    case "link":
      return link(token.href, inner(), key)
    case "image": {
      const { href, text } = token
      return link(href, `Image: ${text === "" ? href : text}`, key)
    }
    case "list": {
      const { items, ordered, start } = token
      const rows = items.map((item, index) => <li key={index}>{children(item.tokens, item.text)}</li>)
      return ordered ? (
        <ol key={key} start={start === "" ? 1 : start}>
          {rows}
        </ol>
      ) : (
        <ul key={key}>{rows}</ul>
      )
    }
    case "table": {
      const { header, rows } = token
      return (
        <div className="markdown-table" key={key} tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {header.map((cell, index) => (
                  <th key={index}>{children(cell.tokens, cell.text)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{children(cell.tokens, cell.text)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    }
    case "space":
    case "def":
      return null
    case "text":
    case "escape":
      return <span key={key}>{inner()}</span>
    default:
      // HTML, and checkboxes.
      return <span key={key}>{token.raw}</span>
  }
}

function children(tokens: ReadonlyArray<Token> | undefined, text: string): ReactNode {
  return tokens === undefined ? plain(text) : tokens.map(render)
}

/** Longer texts are shown as they are, because parsing them would block the page. */
const parsedMax = 200_000
/** Deeper texts as well, because each level is a call of the parser and of the page. */
const depthMax = 40

const partsOf = (token: Token): ReadonlyArray<Token> =>
  isKnown(token) && token.type === "list" ? token.items : "tokens" in token ? (token.tokens ?? []) : []

const depthOf = (tokens: ReadonlyArray<Token>): number =>
  tokens.reduce((depth, token) => Math.max(depth, 1 + depthOf(partsOf(token))), 0)

const tokensOf = (text: string): ReadonlyArray<Token> | undefined => {
  if (text.length > parsedMax) return undefined
  try {
    const tokens = lexer(text)
    return depthOf(tokens) > depthMax ? undefined : tokens
  } catch {
    return undefined
  }
}

export const Markdown = ({ text }: { readonly text: string }) => (
  <div className="markdown">{tokensOf(text)?.map(render) ?? <pre className="code">{text}</pre>}</div>
)
