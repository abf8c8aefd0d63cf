import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  erc20Abi,
  keccak256,
  numberToHex,
  toHex,
} from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { SAFE_CONTRACTS, safeInitializer } from '../../domain/escrow-address.ts'
import type { SafeState } from '../../domain/escrow-order.ts'
import { atomic } from '../../domain/money.ts'
import { safeAbi, safeProxyFactoryAbi } from '../abi/safe.ts'
import type { ChainNodes } from '../nodes/chain-nodes.ts'
import type { ChainClient } from '../nodes/client.ts'
import { queryHead } from '../nodes/query-head.ts'
import { queryQuorum } from '../nodes/query-nodes.ts'

type SafeQuery = {
  readonly safeAddress: Address
  readonly releaser: Address
  /** 32 bytes. */
  readonly saltNonce: Hex
  readonly tokenAddress: Address
}

/**
 * Reads an escrow's Safe and its token balance at the highest block that a quorum has reached.
 *
 * The releaser can change the Safe, so a deployed Safe must still have its original code, no guard, the threshold 1,
 * and the releaser among its owners. For a Safe that is not deployed, a simulated creation must result in its address.
 *
 * @throws {AppError} `escrow_safe_mismatch` if a quorum reports that the Safe cannot be used; `rpc_unavailable` if no
 * quorum agrees
 */
export async function querySafe(chain: ChainNodes, wanted: SafeQuery): Promise<SafeAtHead> {
  const head = await queryHead(chain).catch(throwUnread)
  const blockNumber = BigInt(head.value.number)
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readSafe(client, { ...wanted, blockNumber }),
    toText: formatReading,
  })
  if (verdict.outcome !== 'agreed') return throwUnread(verdict)
  const { value: reading } = verdict.agreed
  if (reading instanceof AppError) throw reading
  return { ...reading, blockNumber: head.value.number }
}

type SafeAtHead = SafeState & { readonly blockNumber: number }

/** One node's report: the Safe's state, or the reason why the Safe cannot be used. */
type SafeReading = SafeState | AppError

/** Two reports that the Safe cannot be used are equal if their codes are equal, whatever their texts. */
function formatReading(reading: SafeReading): string {
  if (reading instanceof AppError) return reading.code
  return `${reading.isDeployed}/${reading.nonce}/${reading.balanceAtomic}`
}

function throwUnread(cause: unknown): never {
  throw new AppError('rpc_unavailable', 'the network’s nodes cannot be read now: try again', { cause })
}

type SafeAtBlock = SafeQuery & { readonly blockNumber: bigint }

/** @throws {BaseError} from viem if the node does not respond, or does not have the block */
async function readSafe(client: ChainClient, wanted: SafeAtBlock): Promise<SafeReading> {
  const { safeAddress, tokenAddress, blockNumber } = wanted
  try {
    const [code, balance] = await Promise.all([
      client.getCode({ address: safeAddress, blockNumber }),
      client.readContract({
        ...{ address: tokenAddress, abi: erc20Abi, blockNumber },
        ...{ functionName: 'balanceOf', args: [safeAddress] },
      }),
    ])
    const isDeployed = code !== undefined
    const nonce = isDeployed ? await readObedientSafe(client, wanted) : await simulateCreation(client, wanted)
    return { isDeployed, nonce, balanceAtomic: atomic(balance) }
  } catch (error) {
    const problem = findProblem(error, wanted)
    if (problem !== null) return problem
    throw error
  }
}

/**
 * Storage slots of a Safe v1.4.1: the address of its implementation, and the address of the guard that checks each
 * execution.
 */
const SINGLETON_SLOT = numberToHex(0)
const GUARD_SLOT = keccak256(toHex('guard_manager.guard.address'))

/**
 * Returns the nonce of a deployed Safe for which the releaser's signature is sufficient; throws a mismatch for any
 * other Safe. Responses of other code prove nothing. A guard might accept the simulation and reject the execution.
 */
async function readObedientSafe(
  client: ChainClient,
  { safeAddress, releaser, blockNumber }: SafeAtBlock,
): Promise<bigint> {
  const safe = { address: safeAddress, abi: safeAbi, blockNumber } as const
  const [singleton, guard, nonce, threshold, isOwner] = await Promise.all([
    client.getStorageAt({ address: safeAddress, slot: SINGLETON_SLOT, blockNumber }),
    client.getStorageAt({ address: safeAddress, slot: GUARD_SLOT, blockNumber }),
    client.readContract({ ...safe, functionName: 'nonce' }),
    client.readContract({ ...safe, functionName: 'getThreshold' }),
    client.readContract({ ...safe, functionName: 'isOwner', args: [releaser] }),
  ])
  if (BigInt(singleton ?? 0) !== BigInt(SAFE_CONTRACTS.singleton)) {
    throw mismatch(safeAddress, `does not run the code of ${SAFE_CONTRACTS.singleton}`)
  }
  if (BigInt(guard ?? 0) !== 0n) throw mismatch(safeAddress, 'has a guard, which might reject the order')
  if (threshold === 1n && isOwner) return nonce
  throw mismatch(
    safeAddress,
    `has the threshold ${threshold}, and the releaser is ${isOwner ? 'one' : 'not one'} of its owners`,
  )
}

async function simulateCreation(
  client: ChainClient,
  { safeAddress, blockNumber, ...wanted }: SafeAtBlock,
): Promise<bigint> {
  const { result } = await client.simulateContract({
    address: SAFE_CONTRACTS.proxyFactory,
    abi: safeProxyFactoryAbi,
    blockNumber,
    functionName: 'createProxyWithNonce',
    args: [SAFE_CONTRACTS.singleton, safeInitializer(wanted.releaser), BigInt(wanted.saltNonce)],
  })
  if (result.toLowerCase() === safeAddress) return 0n
  throw mismatch(safeAddress, `cannot be created at its address: its terms result in ${result}`)
}

/** Returns the reason why the Safe cannot be used; `null` if the error has another cause, such as a silent node. */
function findProblem(error: unknown, { safeAddress }: SafeQuery): AppError | null {
  if (error instanceof AppError) return error
  if (!(error instanceof BaseError)) throw error
  const isAnswer = error.walk(
    (cause) =>
      cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError,
  )
  if (isAnswer === null) return null
  return mismatch(safeAddress, `is not a Safe, or cannot become one: ${error.shortMessage}`, error)
}

function mismatch(safeAddress: Address, reason: string, cause?: unknown): AppError {
  return new AppError('escrow_safe_mismatch', `the custody contract ${safeAddress} ${reason}`, { cause })
}
