import { ARC_CHAIN } from './arc/arc-chain.ts'
import type { DevnetOptions } from './devnet.ts'
import type { DevnetExtra } from './extra.ts'
import { CHAINS, type ChainPlan } from './networks.ts'
import { enablePayBySignature } from './pay-by-signature.ts'
import { startSwap } from './swap/start-swap.ts'
import { TRON_PLAN } from './tron/tron-plan.ts'

/** The extras that `--everything` adds to the devnet. */
const EVERYTHING: readonly DevnetExtra[] = [startSwap, enablePayBySignature]

/** The chains that `--everything` adds, which do not run on anvil. */
const MORE_CHAINS: readonly ChainPlan[] = [ARC_CHAIN, TRON_PLAN]

/** Returns the devnet options for command-line arguments. */
export function parseOptions(args: readonly string[]): Pick<DevnetOptions, 'chains' | 'extras'> {
  return args.includes('--everything') ? { chains: [...CHAINS, ...MORE_CHAINS], extras: EVERYTHING } : {}
}
