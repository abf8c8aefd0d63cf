import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Network } from '../../shared/domain/networks.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { query } from './scenario.ts'

/**
 * Settings of a daemon whose networks sleep between the rounds of a test: after 20 s instead of 25 hours. 20 s are
 * enough for a killed and restarted Ponder to show a payment that reconciliation has found.
 */
export const SLEEPY = { indexer: { NETWORK_SLEEP_AFTER_SECONDS: '20' } } as const

/**
 * Charges expire after a minute, their payouts take another minute, the last distribution is final 30 blocks later, and a
 * network sleeps 20 s after that.
 */
const ASLEEP_WITHIN_MS = 8 * 60_000

/** Waits until these live networks sleep. */
export function untilAsleep(devnet: Devnet, networks: readonly Network[]): Promise<unknown> {
  const areAsleep = () =>
    query(devnet, async (sql) => {
      const awake = await sql`
        select from deployments
        where environment = 'live' and network = any (${networks as Network[]}) and asleep_since is null`
      return awake.length === 0
    })
  const what = `${networks.join(' and ')} to sleep`
  return waitFor(areAsleep, { what, timeoutMs: ASLEEP_WITHIN_MS, intervalMs: 500 })
}

/** Counts in the daemon's log how many times networks have fallen asleep and woken. */
export async function countSleeps(directory: string): Promise<{ asleep: number; awake: number }> {
  const log = await readFile(join(directory, 'indexer.log'), 'utf8')
  const count = (message: string) => log.split(`"msg":"${message}`).length - 1
  return { asleep: count('A network sleeps'), awake: count('A network wakes') }
}
