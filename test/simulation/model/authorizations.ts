import { decodeFunctionData, domainSeparator, numberToHex, pad, parseAbi, slice, toEventSelector } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { transfer } from './contracts.ts'
import type { Effect, ModelContext } from './safe.ts'
import { Reverted, type Spoken, type State } from './state.ts'

/** The terms of a payment that a payer signs. Anyone may submit the signature to the token (EIP-3009). */
export type ModelAuthorization = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

const ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const EXECUTE = '0xe3ee160e'
const SEPARATOR = '0x3644e515'
const IS_USED = '0xe94a0102'
const USED = toEventSelector('AuthorizationUsed(address,bytes32)')
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)')

/** Returns the gas of a call: 100,000 for an authorization, 200,000 for any other call. */
export function estimateGas({ data }: { readonly data: Hex }): bigint {
  return data.startsWith(EXECUTE) ? 100_000n : 200_000n
}

/** Returns the terms of an authorization as text, which is the first part of a signature's key in `signatures`. */
export function describeAuthorization(authorization: ModelAuthorization): string {
  const { token, from, to, value, validAfter, validBefore, nonce } = authorization
  return [token, from, to, value, validAfter, validBefore, nonce].join('/')
}

/** Returns the effect of a call that executes an authorization; `null` for any other call. */
export function simulateAuthorization(
  { to: token, data }: { readonly to: Address; readonly data: Hex },
  { signatures }: ModelContext,
): Effect | null {
  if (!data.startsWith(EXECUTE)) return null
  const { args } = decodeFunctionData({ abi: ABI, data })
  const [from, to, value, validAfter, validBefore, nonce, v, r, s] = args
  const authorization = { token, from: lower(from), to: lower(to), value, validAfter, validBefore, nonce }
  const signature = `${r}${s.slice(2)}${numberToHex(v, { size: 1 }).slice(2)}`
  return (state, timestamp) => {
    if (signatures.get(`${describeAuthorization(authorization)}/${signature}`) !== authorization.from)
      throw new Reverted('0x')
    return executeAuthorization(state, authorization, timestamp)
  }
}

/**
 * Executes the payment of an authorization. Reverts if its nonce is used, if the block's time is not strictly between
 * `validAfter` and `validBefore`, or if the transfer reverts.
 */
export function executeAuthorization(
  state: State,
  authorization: ModelAuthorization,
  timestamp: number,
): readonly Spoken[] {
  const { token, from, to, value, validAfter, validBefore } = authorization
  if (timestamp <= validAfter || timestamp >= validBefore) throw new Reverted('0x')
  const used = useNonce(state, authorization, USED)
  return [...used, ...transfer(state, { token, from, to, amount: value })]
}

/** Cancels an authorization, as its payer can. Reverts if its nonce is used. */
export function cancelAuthorization(state: State, authorization: ModelAuthorization): readonly Spoken[] {
  return useNonce(state, authorization, CANCELED)
}

function useNonce(state: State, { token, from, nonce }: ModelAuthorization, topic: Hex): readonly Spoken[] {
  const key = `${token}/${from}/${nonce}`
  if (state.usedNonces.has(key)) throw new Reverted('0x')
  state.usedNonces.add(key)
  return [{ address: token, topics: [topic, pad(from, { size: 32 }), nonce], data: wordOf(0n) }]
}

/** A token's address and the name and version that payers sign; `null` if it supports no authorizations. */
type SignableToken = {
  readonly address: Address
  readonly domain: { readonly name: string; readonly version: string } | null
}

/**
 * Returns the result of a call that reads a token's domain separator, or whether a nonce is used; `null` for any other
 * call.
 */
export function readAuthorizations(
  state: State,
  { address, domain }: SignableToken,
  { chainId, data }: { readonly chainId: number; readonly data: Hex },
): Hex | null {
  if (domain === null) return null
  if (data === SEPARATOR)
    return domainSeparator({ domain: { ...domain, chainId, verifyingContract: address } })
  if (!data.startsWith(IS_USED)) return null
  const key = `${address}/${lower(slice(data, 16, 36))}/${slice(data, 36, 68)}`
  return wordOf(state.usedNonces.has(key) ? 1n : 0n)
}

function wordOf(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
