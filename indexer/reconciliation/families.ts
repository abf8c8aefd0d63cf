import type { AddressFamily } from '../../shared/domain/address.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import type { NodeEnd } from './has-stopped.ts'
import { createPastReading, type ReadNodeBalances } from './node-balances.ts'
import { createLogSource, type ScanSource } from './scan-source.ts'
import { createSolidReading } from './tron/read-solid-balances.ts'
import { readSolidNode } from './tron/read-solid-node.ts'
import { createSolidSource, MOST_SOLID_BLOCKS } from './tron/solid-source.ts'

/** How balances are read from the nodes of each family. */
export const BALANCES: Readonly<Record<AddressFamily, (node: ChainNode) => ReadNodeBalances>> = {
  evm: createPastReading,
  tron: createSolidReading,
}

/** How transfers and what splits did are read from the nodes of a family. */
type Scans = {
  readonly sourceOf: (node: ChainNode) => ScanSource
  /** Of how many blocks in one turn at most. */
  readonly mostBlocks: number
  /** Reads how far it can be read; `null` where that is as far as the node's head is deep. */
  readonly readEnd: ((node: ChainNode) => Promise<NodeEnd>) | null
}

/** How transfers and what splits did are read from the nodes of each family. */
export const SCANS: Readonly<Record<AddressFamily, Scans>> = {
  evm: { sourceOf: createLogSource, mostBlocks: Number.POSITIVE_INFINITY, readEnd: null },
  tron: { sourceOf: createSolidSource, mostBlocks: MOST_SOLID_BLOCKS, readEnd: readSolidNode },
}
