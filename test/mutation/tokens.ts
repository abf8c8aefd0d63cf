/** A word, number or operator, and its position in the text. */
export type Token = { readonly text: string; readonly start: number; readonly end: number }

const SKIPPED = /\s+|(?<=^|\s)\/\/.*|(?<=^|\s)\/\*[^]*?\*\//u
const WORD = /(?:[\p{L}\p{N}_]|\$(?!\{))+/u
const OPERATOR = /\.{3}|=>|[=!<>]=+|&&|\|\||\?\?=?|\?\.|\*\*|[^]/u
/** A trailing comma. It depends on the formatting, so it extends the token before it and is not compared. */
const LAST_COMMA = /,(?=\s*[)\]}])/u

const TOKEN = new RegExp(
  `${SKIPPED.source}|(?<token>${WORD.source}|${OPERATOR.source})(?:${LAST_COMMA.source})?`,
  'gu',
)

/**
 * Splits TypeScript, SQL or Solidity into tokens.
 *
 * Unlike with TypeScript's scanner, tokens do not depend on the context. A fragment therefore has the same tokens alone
 * as in its file, even inside a template.
 */
export function tokenize(text: string): readonly Token[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: { length }, index, groups }) => {
    const token = groups?.['token']
    return token === undefined ? [] : [{ text: token, start: index, end: index + length }]
  })
}

/** Whether the token is an identifier, keyword or number. */
export function isWord({ text }: Token): boolean {
  return WORD.test(text)
}
