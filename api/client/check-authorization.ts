import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { type AuthorizationDomain, authorizationTypedData } from '../../shared/domain/authorization.ts'
import { formatDecimal, parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { atto, attoToAtomicCeil } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { findDifference } from './find-difference.ts'
import type { Schema } from './schema.ts'

/** What is to be signed is not a transfer to this charge, of no more than it asks; the message says how it differs. */
export class SignatureMismatch extends Error {}

/** A charge, which of its pairs it is paid in, and who signs: all of it what the caller vouches for. */
export type SignedPayment = {
  readonly charge: Pick<
    Schema<'Charge'>,
    'id' | 'address' | 'environment' | 'amount' | 'amountExact' | 'amountReceivedExact'
  >
  /** One of the charge's `payBySignature`. */
  readonly pair: Schema<'AcceptedPayment'>
  /** An account of the wallet. */
  readonly payer: Hex
  /** Of the pair, where it is none that this program knows. */
  readonly token?: SignedToken | undefined
}

/** A token, and the domain that it has its transfers signed in. */
export type SignedToken = {
  readonly chainId: number
  readonly address: string
  readonly decimals: number
  readonly domain: AuthorizationDomain
}

type Prepared = Schema<'PreparedAuthorizations'>['authorizations'][number]

type TypedData = ReturnType<typeof authorizationTypedData>

/** What the service takes at most; it offers five minutes, so that the clocks may differ by ten. */
const MOST_SECONDS = 900

/**
 * Answers what a payer's wallet is asked to sign: never what was sent, but what we make ourselves of the values that were
 * checked, a transfer of this token, from the payer to the charge, of no more than it asks, for fifteen minutes at most.
 *
 * **A wallet hashes what `types` and `primaryType` name and nothing else**: with honest values beside them, a permit for
 * everything that the payer has would be signed. So whatever of the sent differs from ours is refused besides.
 *
 * @throws {SignatureMismatch}
 */
export function checkAuthorization(
  { charge, pair, payer, token = findToken(pair, charge) }: SignedPayment,
  prepared: readonly Prepared[],
): TypedData {
  const name = `${pair.token} on ${pair.network}`
  const found = prepared.find((one) => one.token === pair.token && one.network === pair.network)
  if (found === undefined) throw new SignatureMismatch(`${name} takes no signature now`)
  const { value, validAfter, validBefore, nonce } = found.typedData.message
  const ours = authorizationTypedData({
    chainId: token.chainId,
    token: readAddress('the token', token.address),
    domain: token.domain,
    authorization: {
      from: readAddress('the payer', payer),
      to: readAddress("the charge's address", charge.address),
      value: readNumber('value', value),
      validAfter: readNumber('validAfter', validAfter),
      validBefore: readNumber('validBefore', validBefore),
      nonce: readNonce(nonce),
    },
  })
  const difference = findDifference(ours, found.typedData)
  if (difference !== null) throw new SignatureMismatch(difference)
  requireWindow(ours.message)
  const most = mostOf(charge, token.decimals)
  if (BigInt(ours.message.value) > most.atomic)
    throw new SignatureMismatch(`it would pay ${value} units of ${pair.token}, more than ${most.text}`)
  return ours
}

function findToken({ token, network }: SignedPayment['pair'], charge: SignedPayment['charge']): SignedToken {
  const deployment = REGISTRY[network][charge.environment]
  const facts = deployment?.tokens[token]
  if (deployment && facts?.authorization)
    return { ...facts, chainId: deployment.chainId, domain: facts.authorization }
  throw new SignatureMismatch(
    `this program does not know what signs for ${token} on ${network} (${charge.environment}): name the token yourself, if you can vouch for it`,
  )
}

function requireWindow({ validAfter, validBefore }: TypedData['message']): void {
  const now = Math.floor(Date.now() / 1000)
  const most = now + MOST_SECONDS
  if (BigInt(validAfter) > BigInt(now))
    throw new SignatureMismatch(`it would be valid after ${validAfter} only; now is ${now}`)
  if (BigInt(validBefore) <= BigInt(now) || BigInt(validBefore) > BigInt(most))
    throw new SignatureMismatch(`it would be valid before ${validBefore}: must be from ${now + 1} to ${most}`)
}

/** All that is not credited yet: less may be asked, for what is seen and not deep, and never more. */
function mostOf(
  { amount, amountExact, amountReceivedExact }: SignedPayment['charge'],
  decimals: number,
): { readonly atomic: bigint; readonly text: string } {
  const attoOf = (text: string) => truncateTo(parseDecimal(text) ?? { digits: 0n, scale: 0 }, 18)
  const remaining = attoOf(amountExact ?? String(amount)) - attoOf(amountReceivedExact ?? '0')
  return { atomic: attoToAtomicCeil(atto(remaining), decimals), text: formatDecimal(remaining, 18) }
}

function readAddress(what: string, text: string): Address {
  const address = parseEvmAddress(text)
  if (address === null) throw new SignatureMismatch(`${what} is ${text}, no address of an EVM chain`)
  return address
}

function readNumber(name: string, text: string): bigint {
  if (/^\d{1,78}$/.test(text)) return BigInt(text)
  throw new SignatureMismatch(`it would sign ${name} ${JSON.stringify(text)}, no whole number`)
}

function readNonce(text: string): Hex {
  if (/^0x[0-9a-f]{64}$/.test(text)) return text as Hex
  throw new SignatureMismatch(`it would sign nonce ${JSON.stringify(text)}, not 32 bytes in hex`)
}
