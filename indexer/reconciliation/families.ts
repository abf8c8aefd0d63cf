import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { AddressFamily } from '../../shared/domain/address.ts'
import { createPastReading, type ReadNodeBalances } from './node-balances.ts'
import { createSolidReading } from './tron/read-solid-balances.ts'

/** How balances are read from the nodes of each family. */
export const BALANCES: Readonly<Record<AddressFamily, (node: ChainNode) => ReadNodeBalances>> = {
  evm: createPastReading,
  tron: createSolidReading,
}
