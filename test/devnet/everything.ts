import type { DevnetExtra } from './extra.ts'
import { startSwap } from './swap/start-swap.ts'

/** What `--everything` adds to the devnet; one file each. */
const EVERYTHING: readonly DevnetExtra[] = [startSwap]

/** What a command line asks for. */
export function extrasOf(args: readonly string[]): readonly DevnetExtra[] {
  return args.includes('--everything') ? EVERYTHING : []
}
