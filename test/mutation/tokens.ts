/** A word, number or operator, and where it stands in the text. */
export type Token = { readonly text: string; readonly start: number; readonly end: number }

const SKIPPED = /\s+|(?<=^|\s)\/\/.*|(?<=^|\s)\/\*[^]*?\*\//u
const WORD = /(?:[\p{L}\p{N}_]|\$(?!\{))+/u
const OPERATOR = /\.{3}|=>|[=!<>]=+|&&|\|\||\?\?=?|\?\.|\*\*|[^]/u
/** Formatting decides whether the last element of a list has a comma, so it is no token, but stands inside of one. */
const LAST_COMMA = /,(?=\s*[)\]}])/u

const TOKEN = new RegExp(
  `${SKIPPED.source}|(?<token>${WORD.source}|${OPERATOR.source})(?:${LAST_COMMA.source})?`,
  'gu',
)

/**
 * Splits TypeScript, SQL or Solidity into tokens.
 *
 * A fragment has the same tokens as where it stands in a file, even inside a template, because no token depends on
 * what precedes it. The scanner of TypeScript needs that context.
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
