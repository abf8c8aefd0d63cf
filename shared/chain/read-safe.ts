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

type WantedSafe = {
  readonly safeAddress: Address
  readonly releaser: Address
  /** 32 bytes. */
  readonly saltNonce: Hex
  readonly tokenAddress: Address
}

/**
 * Reads the Safe of an escrow and its balance of a token at the newest block.
 *
 * A Safe that is deployed must still be what was made, without a guard, and obey its releaser alone, who may have
 * changed all that; one that is not must come to stand at its address when the factory makes it, which is simulated.
 *
 * @throws {AppError} `escrow_safe_mismatch` if the Safe cannot be used; `rpc_unavailable` if no node of the chain answers
 */
export async function readSafe(client: ChainClient, wanted: WantedSafe): Promise<SafeState> {
  try {
    const [code, balance] = await Promise.all([
      client.getCode({ address: wanted.safeAddress }),
      client.readContract({
        address: wanted.tokenAddress,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [wanted.safeAddress],
      }),
    ])
    const isDeployed = code !== undefined
    const nonce = isDeployed ? await readObedientSafe(client, wanted) : await simulateCreation(client, wanted)
    return { isDeployed, nonce, balanceAtomic: atomic(balance) }
  } catch (error) {
    throw explain(error, wanted)
  }
}

/** Where a Safe v1.4.1 keeps its code's address, and the guard's that is asked about each execution. */
const SINGLETON_SLOT = numberToHex(0)
const GUARD_SLOT = keccak256(toHex('guard_manager.guard.address'))

/** What the Safe answers is worth nothing before its code is known; a guard may allow the simulation and nothing else. */
async function readObedientSafe(client: ChainClient, { safeAddress, releaser }: WantedSafe): Promise<bigint> {
  const safe = { address: safeAddress, abi: safeAbi } as const
  const [singleton, guard, nonce, threshold, isOwner] = await Promise.all([
    client.getStorageAt({ address: safeAddress, slot: SINGLETON_SLOT }),
    client.getStorageAt({ address: safeAddress, slot: GUARD_SLOT }),
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
  { safeAddress, ...wanted }: WantedSafe,
): Promise<bigint> {
  const { result } = await client.simulateContract({
    address: SAFE_CONTRACTS.proxyFactory,
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [SAFE_CONTRACTS.singleton, safeInitializer(wanted.releaser), BigInt(wanted.saltNonce)],
  })
  if (result.toLowerCase() === safeAddress) return 0n
  throw mismatch(safeAddress, `cannot be made: its terms make ${result}`)
}

function explain(error: unknown, { safeAddress }: WantedSafe): unknown {
  if (!(error instanceof BaseError)) return error
  const isAnswer = error.walk(
    (cause) =>
      cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError,
  )
  if (isAnswer) return mismatch(safeAddress, `is no Safe, or cannot become one: ${error.shortMessage}`, error)
  return new AppError('rpc_unavailable', 'the network’s nodes cannot be read now; try again', {
    cause: error,
  })
}

function mismatch(safeAddress: Address, reason: string, cause?: unknown): AppError {
  return new AppError('escrow_safe_mismatch', `the custody contract ${safeAddress} ${reason}`, { cause })
}
