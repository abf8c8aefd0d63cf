import { type Hex, isAddressEqual, numberToHex, recoverAddress, slice } from 'viem'

import { balanceOf, bandwidthFeeSun } from './run-tron.ts'
import type { TronBlock, TronTransaction } from './tron-block.ts'
import type { TronEvm } from './tron-evm.ts'

/** Response codes of a node to a broadcast transaction. Source: tronprotocol/protocol, api.proto, `Return`. */
export type BroadcastCode =
  | 'SUCCESS'
  | 'SIGERROR'
  | 'CONTRACT_VALIDATE_ERROR'
  | 'BANDWITH_ERROR'
  | 'DUP_TRANSACTION_ERROR'
  | 'TAPOS_ERROR'
  | 'TRANSACTION_EXPIRATION_ERROR'

/** Maximum lifetime of a transaction that a node accepts. */
const LONGEST_LIFE_MS = 86_400_000n
const MAX_FEE_LIMIT_SUN = 15_000_000_000n

/**
 * Returns the reason why a transaction cannot be mined on the state of `known.evm`, or `null`.
 *
 * @param known.blocks - all blocks when the transaction is broadcast; `null` when it is mined, because its reference
 * block and signature were checked at the broadcast
 */
export async function findProblem(
  transaction: TronTransaction,
  known: {
    readonly evm: TronEvm
    readonly blocks: readonly TronBlock[] | null
    readonly usedBytes: ReadonlyMap<Hex, bigint>
  },
): Promise<Exclude<BroadcastCode, 'SUCCESS'> | null> {
  const { contract, feeLimitSun } = transaction
  if (known.blocks !== null) {
    const problem = findPlaceProblem(transaction, known.blocks)
    if (problem !== null) return problem
    if (!(await isSigned(transaction))) return 'SIGERROR'
  }
  const balance = await balanceOf(known.evm, contract.owner)
  const fee = bandwidthFeeSun(transaction, known.usedBytes.get(contract.owner) ?? 0n)
  if (balance < fee) return 'BANDWITH_ERROR'
  const sent = contract.type === 'TransferContract' ? contract.amountSun : contract.callValueSun
  if (balance < fee + sent || feeLimitSun > MAX_FEE_LIMIT_SUN) return 'CONTRACT_VALIDATE_ERROR'
  return null
}

/** Checks the expiration and the reference block, which must be on the current branch. */
function findPlaceProblem(
  { refBlockBytes, refBlockHash, expirationMs }: TronTransaction,
  blocks: readonly TronBlock[],
): 'TAPOS_ERROR' | 'TRANSACTION_EXPIRATION_ERROR' | null {
  const nowMs = BigInt(blocks.at(-1)?.timestamp ?? 0) * 1000n
  if (expirationMs <= nowMs || expirationMs > nowMs + LONGEST_LIFE_MS) return 'TRANSACTION_EXPIRATION_ERROR'
  const isThere = blocks.some(
    ({ number, hash }) =>
      slice(numberToHex(number, { size: 8 }), 6) === refBlockBytes && slice(hash, 8, 16) === refBlockHash,
  )
  return isThere ? null : 'TAPOS_ERROR'
}

async function isSigned({ hash, signature, contract }: TronTransaction): Promise<boolean> {
  try {
    return isAddressEqual(await recoverAddress({ hash, signature }), contract.owner)
  } catch {
    return false
  }
}
