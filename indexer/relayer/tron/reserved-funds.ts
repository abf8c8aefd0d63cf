import type { Db } from '../../../shared/db/connect.ts'
import { listUnresolved } from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import type { RelayerKey } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import { invariant } from '../../../shared/domain/errors.ts'
import { decodeSignedCall } from '../../../shared/domain/families/tron/raw-transaction.ts'

/** Two thousand bytes at 1,000 sun, when the free ones of the day are used up; a distribution to sixteen has fewer. */
const BANDWIDTH_SUN = 2_000_000n

/** Above the most that may be unresolved at one time. */
const MAX_LISTED = 1_000

/** Answers the most that one transaction takes from our account. */
export function mayTakeSun({ feeLimitSun }: { readonly feeLimitSun: bigint }): bigint {
  return feeLimitSun + BANDWIDTH_SUN
}

/**
 * Answers what our unresolved transactions may still take, in sun: they were signed for the same TRX. Those in a block
 * that is not solid yet have taken it already, and count all the same, which makes us wait a minute at worst.
 */
export async function readReservedSun(db: Db, key: RelayerKey): Promise<bigint> {
  const unresolved = await listUnresolved(db, { ...key, limit: MAX_LISTED })
  return unresolved.reduce((sum, { txHash, rawTransaction }) => {
    const call = decodeSignedCall(rawTransaction)
    invariant(call !== null, `${txHash} is a call that we have signed`)
    return sum + mayTakeSun(call)
  }, 0n)
}
