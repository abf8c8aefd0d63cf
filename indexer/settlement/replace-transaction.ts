import { parseTransaction, type TransactionSerializedEIP1559 } from 'viem'
import {
  lockRelayer,
  moveRelayerTransaction,
  type RelayerTransactionRow,
} from '../../shared/db/relayer-transactions.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { bumpFees, type GasFees, quoteFees } from './gas-fees.ts'
import type { RelayerCall, RelayerContext } from './relayer-context.ts'
import { RefusedToSignError } from './require-signable.ts'
import { storeSigned } from './sign-transaction.ts'

/**
 * Signs the same call at the same nonce for more gas money, and stores it in the place of the stuck one.
 *
 * Either of the two may still be mined, never both.
 *
 * @returns `null` if the ceiling leaves no room, the transaction has moved meanwhile, or is none that we sign any more
 */
export async function replaceTransaction(
  context: RelayerContext,
  stuck: RelayerTransactionRow,
): Promise<RelayerTransactionRow | null> {
  const { sql, client, key, terms, log } = context
  const { call, fees: paid } = readSigned(stuck)
  const fees = bumpFees(paid, await quoteFees(client, terms.maxFeePerGasWei), terms.maxFeePerGasWei)
  if (fees === null) return null

  const replacement = await inTransaction(sql, async (db) => {
    await lockRelayer(db, { ...key, chainNonce: 0 })
    const { txHash, nonce } = stuck
    const isStuck = await moveRelayerTransaction(db, {
      txHash,
      from: 'signed',
      to: 'replaced',
      blockNumber: null,
    })
    return isStuck ? storeSigned(context, db, { call, nonce, fees }) : null
  }).catch((error: unknown) => {
    if (error instanceof RefusedToSignError) return null
    throw error
  })
  if (replacement !== null) {
    const { txHash, nonce, chainId } = replacement
    log.warn({
      msg: 'Replaced a stuck transaction',
      chain_id: chainId,
      nonce,
      tx_hash: txHash,
      replaced: stuck.txHash,
    })
  }
  return replacement
}

function readSigned({ rawTransaction, payoutId, heldShareId }: RelayerTransactionRow): {
  readonly call: RelayerCall
  readonly fees: GasFees
} {
  const terms = parseTransaction(rawTransaction as TransactionSerializedEIP1559)
  const { data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = terms
  const to = parseEvmAddress(terms.to ?? '')
  invariant(to !== null, 'a transaction of ours calls a contract')
  return { call: { to, data, gas, payoutId, heldShareId }, fees: { maxFeePerGas, maxPriorityFeePerGas } }
}
