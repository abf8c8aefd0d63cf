import type { Db } from '../../../shared/db/connect.ts'
import { listUnresolved } from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import type { RelayerKey } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import { getBandwidth } from '../../../shared/domain/chain-families/tron/bandwidth.ts'
import { decodeSignedCall } from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { invariant } from '../../../shared/domain/errors.ts'
import { addClaims, type Claim } from './missing-sun.ts'

/** Maximum rows read, above the maximum number of unresolved transactions. */
const MAX_LISTED = 1_000

/**
 * Returns the resources that the unresolved transactions of the account may still take. A transaction in a block that
 * is not solidified yet has already taken its resources but still counts, which delays a payout by at most a minute.
 */
export async function readReserved(db: Db, key: RelayerKey): Promise<Claim> {
  const unresolved = await listUnresolved(db, { ...key, limit: MAX_LISTED })
  return unresolved.reduce<Claim>(
    (sum, { txHash, rawTransaction }) => {
      const call = decodeSignedCall(rawTransaction)
      invariant(call !== null, `${txHash} is a call that we have signed`)
      return addClaims(sum, { feeLimitSun: call.feeLimitSun, bandwidth: getBandwidth(rawTransaction) })
    },
    { feeLimitSun: 0n, bandwidth: 0n },
  )
}
