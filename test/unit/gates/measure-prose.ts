import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** Words and phrases of this repository's earlier dialect, by their replacements in plain English. */
const DIALECT: Readonly<Record<string, RegExp>> = {
  'return, respond, response': /\banswer(s|ed|ing)?\b/gi,
  'request, query, call': /\bask(s|ed|ing)?\b/gi,
  'notify, report, receive': /\b(tells?|told|telling|hears?|heard)\b/gi,
  'state, name, report': /\b(says?|said)\b/gi,
  'name the thing': /\bwhat\b(?!'s| to\b| happen| if\b)/gi,
  'any, the client that': /\b(whatever|whoever|whichever|whom)\b/gi,
  'no one, someone': /\b(no|some|any)body\b/gi,
  they: /\b(he|him|his|himself)\b/gi,
  'our own': /\bours\b/gi,
  'is, remains': /(?<!under)\b(stands?|stood)\b(?! for)/gi,
  'again, during, otherwise': /\b(anew|meanwhile|thereby|lest|thereof|therein|beside)\b/gi,
  'in progress, permanently': /\b(under way|(for|as) ever|once more|a second time)\b/gi,
  'the same, only': /\b(merely|seldom|alike|likewise|(this|that|the|these) very)\b/gi,
  'repair, calculate, expensive, trust': /\b(mend(s|ed|ing)?|reckon(s|ed)?|dear|news|believ(e|es|ed))\b/gi,
}

/** Matches text of four words or more. A shorter string is a name or a code, not a sentence. */
const SENTENCE = /([A-Za-z'’]+[ ,.;:]+){3}[A-Za-z]/

const TITLE = /\b(?:describe|it|context)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g

export type ProseTally = { words: number; hits: number; readonly found: string[] }

/** Counts the words and the dialect words in the texts, and lists each dialect word with its replacement. */
export function measureProse(texts: readonly string[]): ProseTally {
  const tally: ProseTally = { words: 0, hits: 0, found: [] }
  for (const text of texts.map(withoutCode)) {
    tally.words += text.match(/[A-Za-z][A-Za-z'’-]+/g)?.length ?? 0
    for (const [replacement, pattern] of Object.entries(DIALECT))
      for (const [word] of text.matchAll(pattern)) {
        tally.hits += 1
        tally.found.push(`"${word}" (${replacement}) in: ${text.trim().slice(0, 100)}`)
      }
  }
  return tally
}

/**
 * Returns the prose of a file: the text of a document without code, the comments of SQL, the comments and sentences of
 * TypeScript, or the titles of tests.
 */
export function readProse(path: string): readonly string[] {
  const source = readFileSync(path, 'utf8')
  if (path.endsWith('.md'))
    return source.replace(/```[\s\S]*?```|<!--[\s\S]*?-->|\]\([^)]*\)/g, ' ').split('\n')
  if (path.endsWith('.sql')) return source.match(/--.*$/gm) ?? []
  if (path.endsWith('.test.ts')) return [...source.matchAll(TITLE)].map(([, , title]) => title ?? '')
  return readTypeScriptProse(path, source)
}

function readTypeScriptProse(path: string, source: string): readonly string[] {
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const comments = new Set<string>()
  const sentences: string[] = []
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ]
    for (const { pos, end } of ranges) comments.add(source.slice(pos, end))
    if (ts.isTaggedTemplateExpression(node)) return
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
    if (isText && SENTENCE.test(node.getText())) sentences.push(node.getText())
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return [...comments, ...sentences]
}

function withoutCode(text: string): string {
  return text.replace(/`[^`\n]*`|https?:\S+|\$\{[^}]*\}|@\w+/g, (code) =>
    /^`[a-z']+( [a-z']+){2,}`$/i.test(code) ? code : ' ',
  )
}
