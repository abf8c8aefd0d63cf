import { decodeFunctionData, encodeFunctionResult, multicall3Abi, numberToHex, pad, slice } from 'viem'
import splitArtifact from '../../../contracts/artifacts/PaymentSplit.json' with { type: 'json' }
import factoryArtifact from '../../../contracts/artifacts/PaymentSplitFactory.json' with { type: 'json' }
import tronSplitArtifact from '../../../contracts/artifacts/TronPaymentSplit.json' with { type: 'json' }
import tronFactoryArtifact from '../../../contracts/artifacts/TronPaymentSplitFactory.json' with {
  type: 'json',
}
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import { paymentSplitFactoryAbi } from '../../../shared/chain/abi/payment-split-factory.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import {
  getTronImplementation,
  predictTronSplit,
} from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import {
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'
import { readAuthorizations, simulateAuthorization } from './authorizations.ts'
import { distribute, release, transfer } from './contracts.ts'
import { answerSafeCall, type Effect, type ModelContext, simulateSafeEffect } from './safe.ts'
import { balanceIn, copyState, Reverted, type Spoken, type State } from './state.ts'
import { TRON_FACTORY } from './tron.ts'

/** The properties of a token's contract that our code reads. */
export type ModelToken = {
  readonly address: Address
  readonly decimals: number
  /** The contract that logs its transfers, and the decimals of the logged amounts. */
  readonly emitter: { readonly address: Address; readonly decimals: number }
  /** Selector of the function that returns whether the issuer restricts an account. */
  readonly restriction: string | null
  /** Name and version in the EIP-712 domain of the payer's signature; `null` if the token does not support EIP-3009. */
  readonly domain: { readonly name: string; readonly version: string } | null
}

type Call = { readonly to: Address; readonly data: Hex; readonly from?: Address }

export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11' as Address

export function simulateEffect(call: Call, chain: ModelContext): Effect {
  const { to, data } = call
  if (data === '0x') return () => []
  const ofSafe = simulateSafeEffect(call, chain, (inner) => simulateEffect(inner, chain))
  if (ofSafe !== null) return ofSafe
  const payment = simulateAuthorization(call, chain)
  if (payment !== null) return payment
  if (to === SPLIT_FACTORY || to === TRON_FACTORY) return distributionOf(to, data)
  const { functionName, args } = decodeFunctionData({ abi: paymentSplitAbi, data })
  if (functionName !== 'release') throw new Reverted('0x')
  const [token, recipient] = args
  return (state) => release(state, { address: to, token: lower(token), recipient: lower(recipient) })
}

function distributionOf(factory: Address, data: Hex): (state: State) => readonly Spoken[] {
  const { functionName, args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data })
  if (functionName !== 'createAndDistribute') throw new Reverted('0x')
  const [terms, salt, tokens, distributor] = args
  const split = {
    recipients: terms.recipients.map(lower),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation),
    distributionIncentive: terms.distributionIncentive,
  }
  const address =
    factory === TRON_FACTORY
      ? predictTronSplit({ factory, split, salt })
      : predictSplitAddress({ factory, implementation: SPLIT_IMPLEMENTATION, split, salt })
  return (state) =>
    tokens.flatMap((token) =>
      distribute(state, { address, split, token: lower(token), distributor: lower(distributor) }),
    )
}

/** The tokens and the chain of the called node, and the time of the block. */
type Asked = {
  readonly tokens: readonly ModelToken[]
  readonly chain: ModelContext
  readonly timestamp: number
}

/**
 * Returns the result of a call, which does not change the state.
 *
 * @throws {Reverted} if the call reverts
 */
export function answerCall(state: State, asked: Asked, { to, data, from }: Call): Hex {
  const { tokens, chain, timestamp } = asked
  if (to === MULTICALL3) return answerMulticall(state, asked, data)
  const token = tokens.find(({ address }) => address === to)
  if (token !== undefined)
    return (
      readAuthorizations(state, token, { chainId: chain.chainId, data }) ??
      tryPayment(state, { token: to, data, from }) ??
      askToken(state, token, data)
    )
  const ofSafe = answerSafeCall(state, { to, data })
  if (ofSafe !== null) return ofSafe
  // A call to an address without code returns nothing. A split has no code in this model, so `release` is excepted.
  if (codeAt(state, to) === '0x' && data.slice(0, 10) !== RELEASE) return '0x'
  simulateEffect({ to, data }, chain)(copyState(state), timestamp)
  return '0x'
}

type Payment = { readonly token: Address; readonly data: Hex; readonly from: Address | undefined }

/** Returns the result of a token transfer, and throws if it reverts; `null` for any other call, or without a sender. */
function tryPayment(state: State, { token, data, from }: Payment): Hex | null {
  if (from === undefined || !data.startsWith(TRANSFER)) return null
  const to = lower(slice(data, 16, 36))
  transfer(copyState(state), { token, from, to, amount: BigInt(slice(data, 36, 68)) })
  return numberToHex(1, { size: 32 })
}

const TRANSFER = '0xa9059cbb'

const RELEASE = '0x48b75044'
const BALANCE_OF = '0x70a08231'
const DECIMALS = '0x313ce567'

function askToken(state: State, { address, decimals, restriction }: ModelToken, data: Hex): Hex {
  const selector = data.slice(0, 10)
  if (selector === DECIMALS) return numberToHex(decimals, { size: 32 })
  const account = slice(data, 16, 36).toLowerCase() as Address
  if (selector === BALANCE_OF) return numberToHex(balanceIn(state, address, account), { size: 32 })
  if (selector === restriction)
    return pad(state.frozen.has(`${address}/${account}`) ? '0x01' : '0x00', { size: 32 })
  throw new Reverted('0x')
}

function answerMulticall(state: State, asked: Asked, data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data })
  if (functionName !== 'aggregate3') throw new Reverted('0x')
  const [calls] = args
  const result = calls.map(({ target, callData }) => ({
    success: true,
    returnData: answerCall(state, asked, { to: lower(target), data: callData }),
  }))
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
}

/** Returns the code at an address. Splits have none, because their code is never read. */
export function codeAt(state: State, address: Address): Hex {
  if (address === SPLIT_FACTORY) return FACTORY_CODE
  if (address === SPLIT_IMPLEMENTATION) return splitArtifact.deployedBytecode as Hex
  if (address === TRON_FACTORY) return TRON_FACTORY_CODE
  if (address === TRON_IMPLEMENTATION) return tronSplitArtifact.deployedBytecode as Hex
  return isContract(state, address) ? '0x01' : '0x'
}

function isContract(state: State, address: Address): boolean {
  return [MULTICALL3, ...Object.values(SAFE_CONTRACTS)].includes(address) || state.safes.has(address)
}

const FACTORY_CODE = factoryCodeOf(factoryArtifact, SPLIT_IMPLEMENTATION)
const TRON_IMPLEMENTATION = getTronImplementation(TRON_FACTORY)
const TRON_FACTORY_CODE = factoryCodeOf(tronFactoryArtifact, TRON_IMPLEMENTATION)

/** Returns the code of a factory. Its only immutable value is the implementation's address. */
function factoryCodeOf(artifact: { readonly deployedBytecode: string }, implementation: Address): Hex {
  const word = implementation.slice(2).padStart(64, '0')
  return artifact.deployedBytecode.replaceAll(`7f${'0'.repeat(64)}`, `7f${word}`) as Hex
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
