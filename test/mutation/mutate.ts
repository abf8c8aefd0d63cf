import { type Declaration, findDeclaration } from './find-declaration.ts'
import type { Mutant } from './mutant.ts'
import { collectNames, parse } from './names.ts'
import { isWord, type Token, tokenize } from './tokens.ts'

/** A place in the code that matches `take`. `renamed` maps a local variable's name in `take` to its current name. */
type Place = { readonly start: number; readonly end: number; readonly renamed: ReadonlyMap<string, string> }

/**
 * Returns the file's text without the rule.
 *
 * `take` is matched token by token. If local variables were renamed since the mutant was written, their current names
 * also replace the old names in `put`.
 *
 * @throws {Error} if the declaration does not exist or does not contain `take` exactly once, because the code has
 * changed since the mutant was written
 */
export function mutate(text: string, { rule, at, take, put }: Omit<Mutant, 'test'>): string {
  const declaration = findDeclaration(text, at)
  if (declaration === null) throw new Error(`“${rule}”: ${at} does not exist`)
  const places = findPlaces(text, declaration, tokenize(take))
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(`“${rule}”: ${JSON.stringify(take)} occurs ${places.length} times in ${at}, not once`)
  const mutated = text.slice(0, place.start) + put + text.slice(place.end)
  return rename(mutated, { ...place, end: place.start + put.length })
}

/**
 * Finds the places that match the tokens of `take`. Returns places with renamed variables only if no place has the
 * names in `take`.
 */
function findPlaces(text: string, declaration: Declaration, take: readonly Token[]): readonly Place[] {
  const { start, end } = declaration
  const tokens = tokenize(text.slice(start, end)).map((token) => shift(token, start))
  const places = tokens.flatMap(
    (_, at) => matchAt(tokens.slice(at, at + take.length), declaration, take) ?? [],
  )
  const exact = places.filter(({ renamed }) => renamed.size === 0)
  return exact.length > 0 ? exact : places
}

function shift({ text, start, end }: Token, by: number): Token {
  return { text, start: start + by, end: end + by }
}

/** Compares token by token. Each name in `take` must match one variable, and each variable one name. */
function matchAt(found: readonly Token[], declaration: Declaration, take: readonly Token[]): Place | null {
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || found.length < take.length) return null
  const names = new Map<string, string>()
  for (const [at, token] of found.entries()) {
    const wanted = take[at]
    if (wanted === undefined || !canStandFor(token, declaration, wanted)) return null
    if (!declaration.locals.has(token.start)) continue
    if ((names.get(wanted.text) ?? token.text) !== token.text) return null
    names.set(wanted.text, token.text)
  }
  if (new Set(names.values()).size < names.size) return null
  return { start: first.start, end: last.end, renamed: new Map([...names].filter(([was, is]) => was !== is)) }
}

/** Whether a token matches a token of `take`. A name that still exists in the code was not renamed. */
function canStandFor(token: Token, { locals, known }: Declaration, wanted: Token): boolean {
  if (token.text === wanted.text) return true
  return locals.has(token.start) && isWord(wanted) && !known.has(wanted.text)
}

function rename(text: string, { start, end, renamed }: Place): string {
  if (renamed.size === 0) return text
  const uses = collectNames(parse(text)).uses.filter((use) => use.start >= start && use.start < end)
  return uses.reduceRight((changed, { name, start: at, isShorthand }) => {
    const now = renamed.get(name)
    if (now === undefined) return changed
    return changed.slice(0, at) + (isShorthand ? `${name}: ${now}` : now) + changed.slice(at + name.length)
  }, text)
}
