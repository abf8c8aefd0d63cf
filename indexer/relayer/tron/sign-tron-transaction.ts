import type { SimulatedCall } from '../../../shared/chain/nodes/simulate.ts'
import type { Db } from '../../../shared/db/connect.ts'
import {
  countUnresolved,
  type ExpiringTransactionRow,
  insertExpiringTransaction,
  lockAccount,
} from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import {
  encodeSignedTransaction,
  encodeTronCall,
  toReferenceBlock,
  tronTransactionId,
} from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import type { Purpose } from '../relayer.ts'
import { requireSigningPolicy } from '../require-signable.ts'
import { findTronSigningProblem, listTronAddresses } from './find-tron-signing-problem.ts'
import { addClaims, missingSun } from './missing-sun.ts'
import type { TronQuote } from './quote-tron-call.ts'
import { readReserved } from './read-reserved.ts'
import type { TronContext } from './tron-context.ts'

type Signing = { readonly call: SimulatedCall; readonly quote: TronQuote; readonly purpose: Purpose }

/**
 * Signs a call and stores the bytes. Returns `null` if too many transactions are unresolved, or if our account could
 * not pay for this call in addition to them. A transaction that lacks energy burns the available TRX and fails.
 *
 * Runs in the caller's database transaction, and holds the account's lock until that transaction ends.
 *
 * @throws {SigningRefusedError} if the signing policy does not allow the call
 */
export async function signTronTransaction(
  context: TronContext,
  db: Db,
  { call, quote, purpose }: Signing,
): Promise<ExpiringTransactionRow | null> {
  const { account, key, terms, clock, metrics } = context
  await lockAccount(db, key)
  if ((await countUnresolved(db, key)) >= terms.maxUnresolved) return null
  // The funds are checked again under the lock, because each payout of a turn was quoted as if it were the only one.
  const claim = addClaims(quote, await readReserved(db, key))
  if (missingSun(quote.spendable, claim) > 0n) return null

  const expirationMs = quote.nowMs + terms.lifeSeconds * 1000
  const rawData = encodeTronCall({
    ...{ owner: key.relayer, to: call.to, data: call.data, valueSun: 0n },
    ...toReferenceBlock(quote.reference),
    ...{ expirationMs: BigInt(expirationMs), timestampMs: BigInt(quote.nowMs) },
    feeLimitSun: quote.feeLimitSun,
  })
  await requireSigningPolicy({ ...context, duty: 'payouts' }, db, {
    ...{ to: call.to, addresses: listTronAddresses(rawData) },
    findProblem: (permits) => findTronSigningProblem(rawData, { ...permits, ...terms }),
  })
  const txHash = tronTransactionId(rawData)
  const signature = await account.sign({ hash: txHash })
  metrics.countTransaction('signed')
  return insertExpiringTransaction(db, {
    ...{ ...key, ...purpose, txHash, createdAt: clock(), validUntil: new Date(expirationMs) },
    rawTransaction: encodeSignedTransaction({ rawData, signature }),
  })
}
