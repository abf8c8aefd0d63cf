import { decodeFunctionData, encodeFunctionData, numberToHex, size, slice } from 'viem'
import { multiSendAbi, safeAbi, safeProxyFactoryAbi } from '../../shared/chain/abi/safe.ts'
import { buildMultiSendCall } from '../../shared/chain/safe/escrow-call.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { EVM } from '../../shared/domain/chain-families/evm/evm.ts'
import { ANY_DISTRIBUTOR } from '../../shared/domain/distribution-call.ts'
import { predictSafeAddress, SAFE_CONTRACTS, safeInitializer } from '../../shared/domain/escrow-address.ts'
import { type AuthorizationStep, readAuthorization } from './read-authorization.ts'
import { catchToNull, type PayoutStep, readPayoutStep, toLowercase } from './read-payout-step.ts'

type Call = { readonly to: Address; readonly data: Hex }

/**
 * One step of a call, decoded from the call's bytes. The address of a contract to create is computed from its terms.
 */
export type Step =
  | PayoutStep
  | AuthorizationStep
  | { readonly kind: 'safe creation'; readonly safeAddress: Address }
  | { readonly kind: 'safe execution'; readonly safeAddress: Address; readonly token: Address }

/**
 * Decodes the steps of a call; returns `null` if our relayer makes no such call.
 *
 * Pure. Encoding the decoded values again must yield the same bytes, because another decoder might interpret surplus
 * bytes differently.
 */
export function readSteps(call: Call): readonly Step[] | null {
  if (call.to === SAFE_CONTRACTS.multiSendCallOnly) return readSeveral(call)
  // Not accepted in a batch, because another contract would call the token, and the cost would depend on other calls.
  const authorization = readAuthorization(call)
  return authorization === null ? readOne(call) : [authorization]
}

function readOne(call: Call): readonly Step[] | null {
  const step = readPayoutStep(call, EVM.predictSplit) ?? readSafeCreation(call) ?? readSafeExecution(call)
  return step && [step]
}

/** Decodes a MultiSendCallOnly batch. Batches cannot be nested. */
function readSeveral({ data }: Call): readonly Step[] | null {
  const packed = catchToNull(() => decodeFunctionData({ abi: multiSendAbi, data }).args[0])
  const calls = unpackCalls(packed)
  if (calls === null || calls.length === 0 || buildMultiSendCall(calls).data !== data) return null
  const steps = calls.map(readOne)
  return steps.every((read) => read !== null) ? steps.flat() : null
}

function readSafeCreation({ to, data }: Call): Step | null {
  const read = catchToNull(() => {
    const { functionName, args } = decodeFunctionData({ abi: safeProxyFactoryAbi, data })
    const isExact =
      functionName === 'createProxyWithNonce' &&
      encodeFunctionData({ abi: safeProxyFactoryAbi, functionName, args }) === data
    return isExact ? args : null
  })
  if (to !== SAFE_CONTRACTS.proxyFactory || read === null) return null
  const [singleton, initializer, saltNonce] = read
  const releaser =
    size(initializer) < OWNER_AT + 20 ? null : toLowercase(slice(initializer, OWNER_AT, OWNER_AT + 20))
  if (releaser === null || toLowercase(singleton) !== SAFE_CONTRACTS.singleton) return null
  if (safeInitializer(releaser) !== initializer) return null
  const safeAddress = predictSafeAddress({ releaser, saltNonce: numberToHex(saltNonce, { size: 32 }) })
  return { kind: 'safe creation', safeAddress }
}

/**
 * Offset of the releaser in `safeInitializer`, in bytes: the selector, eight words of arguments, the number of owners,
 * and the 12 bytes of padding before the releaser's address.
 */
const OWNER_AT = 4 + 9 * 32 + 12

/**
 * Decodes a token transfer out of a Safe. The execution must not refund gas to anyone. The recipient needs no check,
 * because the Safe executes only calls that its releaser signed.
 */
function readSafeExecution({ to, data }: Call): Step | null {
  const read = catchToNull(() => {
    const { functionName, args } = decodeFunctionData({ abi: safeAbi, data })
    const isExact =
      functionName === 'execTransaction' && encodeFunctionData({ abi: safeAbi, functionName, args }) === data
    return isExact ? args : null
  })
  if (read === null) return null
  const [token, value, inner, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver] = read
  const isPlain = value === 0n && operation === 0 && safeTxGas === 0n && baseGas === 0n && gasPrice === 0n
  const refundsNobody = gasToken === ANY_DISTRIBUTOR && refundReceiver === ANY_DISTRIBUTOR
  const isTransfer = inner.startsWith('0xa9059cbb') && size(inner) === 4 + 2 * 32
  return isPlain && refundsNobody && isTransfer
    ? { kind: 'safe execution', safeAddress: to, token: toLowercase(token) }
    : null
}

/**
 * Splits a batch into calls as MultiSendCallOnly does. Each call consists of operation, address, value, length and
 * data. Returns `null` if a call would extend beyond the end of the bytes.
 */
function unpackCalls(packed: Hex | null): readonly Call[] | null {
  if (packed === null) return null
  const calls: Call[] = []
  for (let at = 0; at < size(packed); ) {
    if (at + HEAD_BYTES > size(packed)) return null
    const length = BigInt(slice(packed, at + HEAD_BYTES - 32, at + HEAD_BYTES))
    const end = BigInt(at + HEAD_BYTES) + length
    if (end > BigInt(size(packed))) return null
    const data = length === 0n ? '0x' : slice(packed, at + HEAD_BYTES, Number(end))
    calls.push({ to: toLowercase(slice(packed, at + 1, at + 21)), data })
    at = Number(end)
  }
  return calls
}

const HEAD_BYTES = 1 + 20 + 32 + 32
