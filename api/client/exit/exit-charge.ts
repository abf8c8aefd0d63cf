import type { Address } from '../../../shared/domain/address.ts'
import { isId } from '../../../shared/domain/ids.ts'
import { AddressMismatch, type ChargeTerms, type CheckedTerms, checkTerms } from '../check-address.ts'

/** A charge of the archive. Everything that decides where money goes follows from its address. */
export type ExitCharge = CheckedTerms & {
  readonly id: string
  /** Unix seconds; 0 if the record does not contain it. */
  readonly createdAt: number
  /** The only owner of the escrow's Safe; `null` without escrow. */
  readonly releaser: Address | null
  /** Whether a webhook with the service's signature contained these terms. */
  readonly isSigned: boolean
}

/**
 * Parses a charge of an archive and recomputes its addresses from its terms.
 *
 * Anyone who can write into the archive can add charges of their own, but no terms under which the split of another
 * charge would pay them. A Safe does not commit to a split: anyone can name another split for the Safe of an escrow.
 *
 * @param known.factory - trusted factory of a family without a fixed one
 * @throws {AddressMismatch} naming the field, its value and what it must be
 */
export function parseExitCharge(
  json: unknown,
  known: { readonly factory?: string | undefined; readonly isSigned?: boolean } = {},
): ExitCharge {
  const charge = requireCharge(json)
  const checked = checkTerms(charge, known)
  const { safe } = charge.addressTerms
  return {
    ...checked,
    isSigned: known.isSigned ?? false,
    id: charge.id,
    createdAt: readTime((json as Json)['createdAt']),
    // The Safe's address commits to its owner.
    releaser: safe === null ? null : (safe.owner.toLowerCase() as Address),
  }
}

type Json = Readonly<Record<string, unknown>>

/** Returns whether a JSON value claims to be a charge. */
export function isCharge(json: unknown): boolean {
  return isObject(json) && isObject(json['addressTerms'])
}

/** Checks the form of each field that `checkTerms` reads. */
function requireCharge(json: unknown): ChargeTerms {
  const charge = requireObject('the charge', json)
  const id = requireText('id', charge['id'])
  if (!isId('ch', id)) throw new AddressMismatch(`id is ${quote(id)}: must be the id of a charge, ch_…`)
  requireText('address', charge['address'])
  requireTerms(requireObject('addressTerms', charge['addressTerms']))
  return charge as unknown as ChargeTerms
}

function requireTerms(terms: Json): void {
  requireTexts('addressTerms', terms, ['factory', 'salt', 'splitAddress'])
  for (const name of ['totalAllocation', 'distributionIncentive'])
    requireNumber(`addressTerms.${name}`, terms[name])
  const { recipients, safe } = terms
  if (!Array.isArray(recipients))
    throw new AddressMismatch(`addressTerms.recipients is ${quote(recipients)}: must be a list`)
  recipients.forEach((recipient: unknown, index) => {
    const name = `addressTerms.recipients[${index}]`
    const one = requireObject(name, recipient)
    requireText(`${name}.address`, one['address'])
    requireNumber(`${name}.allocation`, one['allocation'])
  })
  const owned = ['owner', 'singleton', 'proxyFactory', 'fallbackHandler']
  if (safe !== null) requireTexts('addressTerms.safe', requireObject('addressTerms.safe', safe), owned)
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function requireObject(name: string, value: unknown): Json {
  if (isObject(value)) return value
  throw new AddressMismatch(`${name} is ${quote(value)}: must be an object`)
}

function requireText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new AddressMismatch(`${name} is ${quote(value)}: must be a string`)
}

function requireTexts(parent: string, object: Json, names: readonly string[]): void {
  for (const name of names) requireText(`${parent}.${name}`, object[name])
}

function requireNumber(name: string, value: unknown): void {
  if (typeof value === 'number') return
  throw new AddressMismatch(`${name} is ${quote(value)}: must be a number`)
}

/** Quotes a value, so that a forged record cannot control the terminal. */
function quote(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100)
}

function readTime(value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms / 1000) : 0
}
