import { privateKeyToAccount } from 'viem/accounts'
import { createTronVoters } from '../../shared/chain/tron/tron-nodes.ts'
import { createTronRelayer } from '../relayer/tron/tron-relayer.ts'
import { createFundsWatch } from '../relayer/tron/watch-funds.ts'
import type { Payer, PayerDeps } from './payer.ts'

const FUNDS_INTERVAL_MS = 60_000
/**
 * Ten times what a distribution to three is thought to cost without a stake (300,000 to 500,000 energy at 100 sun): it is
 * paid in full only by what ends in a way that nothing of ours can.
 */
const MAX_FEE_LIMIT_SUN = 500_000_000n
/** Above the 4.1 million that a distribution to sixteen recipients is thought to take; from one node alone, more is not taken. */
const MAX_ENERGY = 5_000_000n
/** They do not wait for each other; each is asked for once or twice in a turn, until it is solid after a minute. */
const MAX_UNRESOLVED = 32
/** Forty blocks: what none of them takes is built anew. A day is the most that nodes take. */
const LIFE_SECONDS = 120
const REBROADCAST_SECONDS = 15

/** Makes what pays out on a TRON: the relayer whose transactions expire, and the watch over its TRX and its energy. */
export function createTronPayer(deps: PayerDeps): Payer {
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
  const funds = createFundsWatch({ ...deps, nodes, relayer: relayer.address })
  return {
    relayer,
    duties: [{ name: 'relayer balance', turn: funds.turn, intervalMs: FUNDS_INTERVAL_MS }],
  }
}
