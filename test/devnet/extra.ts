import type { DevnetChain } from './networks.ts'
import type { Settings } from './settings.ts'
import type { DevnetDescription } from './write-description.ts'

/** Starts a part that the default devnet omits. Called after the chains start and before the processes start. */
export type DevnetExtra = (chains: readonly DevnetChain[]) => Promise<StartedExtra>

/** A running extra, and its additions to the processes' settings and to `devnet.json`. */
export type StartedExtra = {
  readonly settings: { readonly api?: Settings; readonly indexer?: Settings }
  readonly description: Partial<DevnetDescription>
  /** Waits until the extra can be used. Called when both processes are running. */
  readonly untilReady?: (description: DevnetDescription) => Promise<void>
  readonly stop: () => Promise<void>
}
