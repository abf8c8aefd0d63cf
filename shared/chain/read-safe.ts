import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  keccak256,
  numberToHex,
  toHex,
} from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { SAFE_CONTRACTS, safeInitializer } from '../domain/escrow-address.ts'
import type { SafeState } from '../domain/escrow-order.ts'
import { atomic } from '../domain/money.ts'
import { erc20Abi } from './abi/erc20.ts'
import { safeAbi, safeProxyFactoryAbi } from './abi/safe.ts'
import type { ChainClient } from './client.ts'
import type { ChainNodes } from './nodes/chain-nodes.ts'
import { queryHead } from './nodes/query-head.ts'
import { queryQuorum } from './nodes/query-nodes.ts'

type WantedSafe = {
  readonly safeAddress: Address
  readonly releaser: Address
  /** 32 bytes. */
  readonly saltNonce: Hex
  readonly tokenAddress: Address
}

/**
 * Reads the Safe of an escrow and its balance of a token, as a quorum of nodes reports them at one block: the highest that a
 * quorum has.
 *
 * A Safe that is deployed must still be what was made, without a guard, and obey its releaser alone, who may have
 * changed all that; one that is not must come to stand at its address when the factory makes it, which is simulated.
 *
 * @throws {AppError} `escrow_safe_mismatch` if a quorum reports that the Safe cannot be used; `rpc_unavailable` if no quorum
 * reports the same
 */
export async function querySafe(chain: ChainNodes, wanted: WantedSafe): Promise<SafeAtHead> {
  const head = await queryHead(chain).catch(explainUnread)
  const blockNumber = BigInt(head.value.number)
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readSafe(client, { ...wanted, blockNumber }),
    toText: writeReading,
  })
  if (verdict.outcome !== 'agreed') return explainUnread(verdict)
  const { value: reading } = verdict.agreed
  if (reading instanceof AppError) throw reading
  return { ...reading, blockNumber: head.value.number }
}

/** A Safe, and the block at which it was read. */
type SafeAtHead = SafeState & { readonly blockNumber: number }

/** What one node reports of a Safe: its state, or why it cannot be used. */
type SafeReading = SafeState | AppError

/** That the Safe cannot be used is one answer, in whatever words a node gives the reason. */
function writeReading(reading: SafeReading): string {
  if (reading instanceof AppError) return reading.code
  return `${reading.isDeployed}/${reading.nonce}/${reading.balanceAtomic}`
}

function explainUnread(cause: unknown): never {
  throw new AppError('rpc_unavailable', 'the network’s nodes cannot be read now; try again', { cause })
}

type SafeAtBlock = WantedSafe & { readonly blockNumber: bigint }

/** @throws {BaseError} viem's, if the node does not respond, or does not have the block */
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

/** Where a Safe v1.4.1 keeps its code's address, and the guard's that is asked about each execution. */
const SINGLETON_SLOT = numberToHex(0)
const GUARD_SLOT = keccak256(toHex('guard_manager.guard.address'))

/** What the Safe answers is worth nothing before its code is known; a guard may allow the simulation and nothing else. */
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
    throw mismatch(safeAddress, `runs other code than ${SAFE_CONTRACTS.singleton}`)
  }
  if (BigInt(guard ?? 0) !== 0n) throw mismatch(safeAddress, 'has a guard, which may forbid what is ordered')
  if (threshold === 1n && isOwner) return nonce
  throw mismatch(safeAddress, `wants ${threshold} signatures, and ${isOwner ? 'also' : 'not'} the releaser's`)
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
  throw mismatch(safeAddress, `cannot be made: its terms make ${result}`)
}

/** Returns why the Safe cannot be used; `null` for an error that tells nothing about the Safe. */
function findProblem(error: unknown, { safeAddress }: WantedSafe): AppError | null {
  if (error instanceof AppError) return error
  if (!(error instanceof BaseError)) throw error
  const isAnswer = error.walk(
    (cause) =>
      cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError,
  )
  if (isAnswer === null) return null
  return mismatch(safeAddress, `is no Safe, or cannot become one: ${error.shortMessage}`, error)
}

function mismatch(safeAddress: Address, reason: string, cause?: unknown): AppError {
  return new AppError('escrow_safe_mismatch', `the custody contract ${safeAddress} ${reason}`, { cause })
}
