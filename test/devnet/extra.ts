import type { DevnetChain } from './networks.ts'
import type { Settings } from './settings.ts'
import type { DevnetDescription } from './write-description.ts'

/** A part that the default devnet omits. It starts after the chains and before the processes. */
export type DevnetExtra = (chains: readonly DevnetChain[]) => Promise<StartedExtra>

/** A running extra, with its additions to the settings of the processes and to `devnet.json`. */
export type StartedExtra = {
  readonly settings: { readonly api?: Settings; readonly indexer?: Settings }
  readonly description: Partial<DevnetDescription>
  /** Waits until the extra can be used. Called once both processes run. */
  readonly untilReady?: (description: DevnetDescription) => Promise<void>
  readonly stop: () => Promise<void>
}
