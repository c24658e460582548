export const GET = () => new Response("our home page")
