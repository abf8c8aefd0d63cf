import {
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  hashTypedData,
  hexToBigInt,
  numberToHex,
  pad,
  parseAbi,
  size,
  slice,
} from 'viem'
import { multiSendAbi, safeAbi, safeProxyFactoryAbi } from '../../../shared/chain/abi/safe.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { transfer } from './contracts.ts'
import { copyState, type ModelSafe, Reverted, type Spoken, type State } from './state.ts'

/** A transfer out of a Safe, as its owner signs it. */
export type SafeTransfer = {
  readonly chainId: number
  readonly safe: Address
  readonly token: Address
  readonly to: Address
  readonly amount: bigint
  readonly nonce: bigint
}

/** The signers, by digest and signature. Each account that signs adds its signature. */
export type Signatures = Map<string, Address>

export function signatureKey(digest: Hex, signature: Hex): string {
  return `${digest}/${signature.toLowerCase()}`
}

const SAFE_TX = [
  ...[
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
  ...[
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
  ],
  ...[
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
  ],
  ...[
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
] as const

const NOBODY = `0x${'0'.repeat(40)}` as Address

/** Returns the digest of a Safe's transaction, implemented independently of the service. */
export function safeDigest({ chainId, safe, token, to, amount, nonce }: SafeTransfer): Hex {
  const data = `0xa9059cbb${pad(to, { size: 32 }).slice(2)}${wordOf(amount).slice(2)}` as Hex
  const message = { ...{ to: token, value: 0n, data, operation: 0 }, ...NO_GAS, nonce }
  const domain = { chainId, verifyingContract: safe }
  return hashTypedData({ domain, types: { SafeTx: SAFE_TX }, primaryType: 'SafeTx', message })
}

const NO_GAS = { safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: NOBODY, refundReceiver: NOBODY } as const

/** Creates the Safe of an owner and returns its address. Reverts if the Safe exists. */
export function createSafe(state: State, terms: { readonly owner: Address; readonly salt: Hex }): Address {
  const address = predictSafeAddress({ releaser: terms.owner, saltNonce: terms.salt })
  if (state.safes.has(address)) throw new Reverted('0x')
  state.safes.set(address, { owner: terms.owner, nonce: 0n })
  return address
}

/** Transfers a token out of a Safe as its owner, and increases the Safe's nonce. */
export function moveFromSafe(
  state: State,
  { safe: address, token, to, amount }: Pick<SafeTransfer, 'safe' | 'token' | 'to' | 'amount'>,
): readonly Spoken[] {
  const safe = requireSafe(state, address)
  state.safes.set(address, { ...safe, nonce: safe.nonce + 1n })
  return transfer(state, { token, from: address, to, amount })
}

type Call = { readonly to: Address; readonly data: Hex }

/** Data on which the effects of calls depend, in addition to the state. */
export type ModelContext = { readonly chainId: number; readonly signatures: ReadonlyMap<string, Address> }

/** Changes the state as a transaction does, and returns the logs. `timestamp` is the block's time in Unix seconds. */
export type Effect = (state: State, timestamp: number) => readonly Spoken[]

/**
 * Returns the effect of a call to Safe's contracts; `null` for any other call.
 *
 * @param simulateOther - returns the effect of one call of a batch
 */
export function simulateSafeEffect(
  call: Call,
  chain: ModelContext,
  simulateOther: (call: Call) => Effect,
): Effect | null {
  if (call.to === SAFE_CONTRACTS.multiSendCallOnly) {
    const effects = unpackCalls(call.data).map(simulateOther)
    return (state, timestamp) => effects.flatMap((effect) => effect(state, timestamp))
  }
  if (call.to === SAFE_CONTRACTS.proxyFactory) {
    const terms = creationOf(call.data)
    return (state) => {
      createSafe(state, terms)
      return []
    }
  }
  return call.data.startsWith(EXECUTE) ? executionOf(call, chain) : null
}

const EXECUTE = '0x6a761202'
/** Topic of `ExecutionSuccess(bytes32 indexed txHash, uint256 payment)`. */
const EXECUTED = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e'

function executionOf({ to: address, data }: Call, chain: ModelContext): Effect {
  const { functionName, args } = decodeFunctionData({ abi: safeAbi, data })
  if (functionName !== 'execTransaction') throw new Reverted('0x')
  const inner = decodeFunctionData({ abi: erc20Abi, data: args[2] })
  if (inner.functionName !== 'transfer') throw new Reverted('0x')
  const [to, amount] = [lower(inner.args[0]), inner.args[1]]
  const move = {
    chainId: chain.chainId,
    safe: address,
    token: lower(args[0]),
    to,
    amount,
    signature: args[9],
  }
  return (state) => executeSigned(state, move, chain)
}

type Signed = Omit<SafeTransfer, 'nonce'> & { readonly signature: Hex }

/** Executes a transfer that the Safe's owner must have signed for the Safe's current nonce. */
export function executeSigned(
  state: State,
  { signature, ...signed }: Signed,
  { signatures }: ModelContext,
): readonly Spoken[] {
  const { owner, nonce } = requireSafe(state, signed.safe)
  const digest = safeDigest({ ...signed, nonce })
  if (signatures.get(signatureKey(digest, signature)) !== owner) throw new Reverted('0x')
  const moved = moveFromSafe(state, signed)
  return [...moved, { address: signed.safe, topics: [EXECUTED, digest], data: wordOf(0n) }]
}

/** Offset of the owner in the data that sets a Safe up: selector, eight words, number of owners, padding. */
const OWNER_AT = 4 + 9 * 32 + 12

function creationOf(data: Hex): { readonly owner: Address; readonly salt: Hex } {
  const { args } = decodeFunctionData({ abi: safeProxyFactoryAbi, data })
  const owner = lower(slice(args[1], OWNER_AT, OWNER_AT + 20))
  return { owner, salt: numberToHex(args[2], { size: 32 }) }
}

/** Splits a batch into its calls, each encoded as operation, address, value, length and data. */
function unpackCalls(data: Hex): readonly Call[] {
  const packed = decodeFunctionData({ abi: multiSendAbi, data }).args[0]
  const calls: Call[] = []
  for (let at = 0; at < size(packed); ) {
    const end = at + 85 + Number(hexToBigInt(slice(packed, at + 53, at + 85)))
    calls.push({ to: lower(slice(packed, at + 1, at + 21)), data: slice(packed, at + 85, end) })
    at = end
  }
  return calls
}

/**
 * Returns the result of a call that reads or creates a Safe; `null` for any other call.
 *
 * @throws {Reverted} if the call would create a Safe that exists
 */
export function answerSafeCall(state: State, { to, data }: Call): Hex | null {
  if (to === SAFE_CONTRACTS.proxyFactory) {
    const proxy = createSafe(copyState(state), creationOf(data))
    return encodeFunctionResult({
      abi: safeProxyFactoryAbi,
      functionName: 'createProxyWithNonce',
      result: proxy,
    })
  }
  const safe = state.safes.get(to)
  return safe === undefined || data.startsWith(EXECUTE) ? null : readSafe(safe, data)
}

const READS = parseAbi([
  'function nonce() view returns (uint256)',
  'function getThreshold() view returns (uint256)',
  'function isOwner(address owner) view returns (bool)',
])

function readSafe({ owner, nonce }: ModelSafe, data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: READS, data })
  if (functionName === 'isOwner') return wordOf(lower(args[0]) === owner ? 1n : 0n)
  return wordOf(functionName === 'nonce' ? nonce : 1n)
}

/** Returns a slot of a Safe's storage: the code's address in slot 0, otherwise zero, so that no guard is set. */
export function readSafeSlot(state: State, address: Address, slot: Hex): Hex {
  const isCode = state.safes.has(address) && BigInt(slot) === 0n
  return isCode ? pad(SAFE_CONTRACTS.singleton, { size: 32 }) : wordOf(0n)
}

function requireSafe(state: State, address: Address): ModelSafe {
  const safe = state.safes.get(address)
  if (safe === undefined) throw new Reverted('0x')
  return safe
}

function wordOf(amount: bigint): Hex {
  return numberToHex(amount, { size: 32 })
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
