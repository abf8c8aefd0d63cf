import { privateKeyToAccount } from 'viem/accounts'
import { createTronVoters } from '../../shared/chain/tron/tron-nodes.ts'
import { createTronRelayer } from '../relayer/tron/tron-relayer.ts'
import { createTronBalanceWatch } from '../relayer/tron/watch-tron-balance.ts'
import type { ChainPayer, ChainPayerDeps } from './chain-payer.ts'

const FUNDS_INTERVAL_MS = 60_000
/** Interval while the network sleeps. No transaction is sent then, so the funds do not fall. */
const FUNDS_ASLEEP_MS = 3_600_000
/**
 * Maximum fee of one transaction, in sun: ten times the estimated cost, without staked energy, of a distribution to
 * three recipients (300,000 to 500,000 energy at 100 sun). No failure that our transactions can have burns all of it.
 */
const MAX_FEE_LIMIT_SUN = 500_000_000n
/**
 * Maximum energy of a transaction, above the estimated 4.1 million of a distribution to sixteen recipients. If only one
 * node reports a higher estimate, its report is ignored.
 */
const MAX_ENERGY = 5_000_000n
/**
 * Maximum unresolved transactions. They do not block each other, but each costs every node two requests per turn until
 * it is solidified, after about a minute.
 */
const MAX_UNRESOLVED = 32
/**
 * Lifetime of a transaction: forty blocks. If none of these blocks includes it, the transaction is built and signed
 * again. Nodes accept a lifetime of at most a day.
 */
const LIFE_SECONDS = 120
const REBROADCAST_SECONDS = 15

/**
 * Creates the payer of a TRON chain: the relayer, whose transactions expire, and the monitor of the relayer's TRX and
 * energy.
 */
export function createTronChainPayer(deps: ChainPayerDeps): ChainPayer {
  const nodes = createTronVoters(deps.deployment)
  const relayer = createTronRelayer({
    ...deps,
    nodes,
    account: privateKeyToAccount(deps.relayerPrivateKey),
    terms: {
      maxFeeLimitSun: MAX_FEE_LIMIT_SUN,
      maxEnergy: MAX_ENERGY,
      maxUnresolved: MAX_UNRESOLVED,
      lifeSeconds: LIFE_SECONDS,
      rebroadcastSeconds: REBROADCAST_SECONDS,
    },
  })
  const funds = createTronBalanceWatch({ ...deps, nodes, relayer: relayer.address })
  return {
    relayer,
    duties: [
      {
        ...{ name: 'relayer balance', turn: funds.turn },
        ...{ intervalMs: FUNDS_INTERVAL_MS, asleepMs: FUNDS_ASLEEP_MS },
      },
    ],
  }
}
