import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { formatDecimal, parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import {
  type AuthorizationDomain,
  authorizationTypedData,
} from '../../shared/domain/eip3009/authorization.ts'
import { atto, attoToAtomicCeil } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { findDifference } from './find-difference.ts'
import type { Schema } from './schema.ts'

/**
 * Thrown if the data to be signed is not a transfer to this charge of at most the amount that is not credited yet. The
 * message names the difference.
 */
export class SignatureMismatch extends Error {}

/**
 * A charge, the pair in which it is paid, and the payer. Every value must come from a source that the caller trusts.
 */
export type SignedPayment = {
  readonly charge: Pick<
    Schema<'Charge'>,
    'id' | 'address' | 'environment' | 'amount' | 'amountExact' | 'amountReceivedExact'
  >
  /** An entry of the charge's `payBySignature`. */
  readonly pair: Schema<'AcceptedPayment'>
  /** An account of the wallet. */
  readonly payer: Hex
  /** The pair's token, if it is not built into this program. */
  readonly token?: SignedToken | undefined
}

/** A token and the EIP-712 domain of its authorizations. */
export type SignedToken = {
  readonly chainId: number
  readonly address: string
  readonly decimals: number
  readonly domain: AuthorizationDomain
}

type Prepared = Schema<'PreparedAuthorizations'>['authorizations'][number]

type TypedData = ReturnType<typeof authorizationTypedData>

/**
 * Maximum validity in seconds, the same as in the service. The service offers 5 minutes, so the clocks may differ by 10
 * minutes.
 */
const MAX_SECONDS = 900

/**
 * Returns the typed data that a payer's wallet signs, rebuilt from the checked values: a transfer of this token from
 * the payer to the charge, of at most the amount that is not credited yet, valid for at most 15 minutes.
 *
 * **A wallet hashes only the fields that `types` and `primaryType` name.** Received data with correct values could
 * therefore still be a permit for the payer's whole balance. So the received data is never passed on, and any
 * difference from the rebuilt data is rejected.
 *
 * @throws {SignatureMismatch}
 */
export function checkAuthorization(
  { charge, pair, payer, token = findToken(pair, charge) }: SignedPayment,
  prepared: readonly Prepared[],
): TypedData {
  const name = `${pair.token} on ${pair.network}`
  const found = prepared.find((one) => one.token === pair.token && one.network === pair.network)
  if (found === undefined) throw new SignatureMismatch(`${name} cannot be paid by signature now`)
  const { value, validAfter, validBefore, nonce } = found.typedData.message
  const rebuilt = authorizationTypedData({
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
  const difference = findDifference(rebuilt, found.typedData)
  if (difference !== null) throw new SignatureMismatch(difference)
  requireWindow(rebuilt.message)
  const max = getMaxAmount(charge, token.decimals)
  if (BigInt(rebuilt.message.value) > max.atomic)
    throw new SignatureMismatch(
      `it would pay ${value} atomic units of ${pair.token}, more than ${max.text} ${pair.token}`,
    )
  return rebuilt
}

function findToken({ token, network }: SignedPayment['pair'], charge: SignedPayment['charge']): SignedToken {
  const deployment = REGISTRY[network][charge.environment]
  const facts = deployment?.tokens[token]
  if (deployment && facts?.authorization)
    return { ...facts, chainId: deployment.chainId, domain: facts.authorization }
  throw new SignatureMismatch(
    `the signing domain of ${token} on ${network} (${charge.environment}) is unknown: pass the token if you trust it`,
  )
}

function requireWindow({ validAfter, validBefore }: TypedData['message']): void {
  const now = Math.floor(Date.now() / 1000)
  const max = now + MAX_SECONDS
  if (BigInt(validAfter) > BigInt(now))
    throw new SignatureMismatch(`it would not be valid until ${validAfter}; now is ${now}`)
  if (BigInt(validBefore) <= BigInt(now) || BigInt(validBefore) > BigInt(max))
    throw new SignatureMismatch(
      `it would be valid before ${validBefore}, which must be from ${now + 1} to ${max}`,
    )
}

/**
 * Returns the amount that is not credited yet. The service may request less, because it subtracts transfers that were
 * seen but not credited. It must not request more.
 */
function getMaxAmount(
  { amount, amountExact, amountReceivedExact }: SignedPayment['charge'],
  decimals: number,
): { readonly atomic: bigint; readonly text: string } {
  const parseAtto = (text: string) => truncateTo(parseDecimal(text) ?? { digits: 0n, scale: 0 }, 18)
  const remaining = parseAtto(amountExact ?? String(amount)) - parseAtto(amountReceivedExact ?? '0')
  return { atomic: attoToAtomicCeil(atto(remaining), decimals), text: formatDecimal(remaining, 18) }
}

function readAddress(name: string, text: string): Address {
  const address = parseEvmAddress(text)
  if (address === null) throw new SignatureMismatch(`${name} is ${text}, not an EVM address`)
  return address
}

function readNumber(name: string, text: string): bigint {
  if (/^\d{1,78}$/.test(text)) return BigInt(text)
  throw new SignatureMismatch(`it would sign ${name} ${JSON.stringify(text)}, which is not a whole number`)
}

function readNonce(text: string): Hex {
  if (/^0x[0-9a-f]{64}$/.test(text)) return text as Hex
  throw new SignatureMismatch(
    `it would sign nonce ${JSON.stringify(text)}, which is not 32 bytes in lowercase hex`,
  )
}
