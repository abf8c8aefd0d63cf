import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { FAMILIES } from '../../shared/domain/families/families.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { SCANS } from './families.ts'
import type { ScanSource } from './scan-source.ts'
import { askAbout, isConfirmed } from './second-account.ts'

/**
 * Answers those of these deep receipts that may be recorded: all of them, or, where nodes have another API than the one
 * that showed them, those of which that tells alike at nodes enough (`isConfirmed`). The others are left out; the feed or a
 * later look may bring them.
 */
export async function confirmReceipts(
  nodes: readonly ChainNode[],
  { network, receipts }: { readonly network: Network; readonly receipts: readonly PlacedReceipt[] },
): Promise<readonly PlacedReceipt[]> {
  const { family } = REGISTRY[network]
  if (!FAMILIES[family].isConfirmedApart) return receipts
  const sources = nodes.map(SCANS[family].sourceOf)
  const confirmed = await Promise.all(
    receipts.map(async (receipt) => ((await isToldAlike(sources, receipt)) ? [receipt] : [])),
  )
  return confirmed.flat()
}

async function isToldAlike(sources: readonly ScanSource[], receipt: PlacedReceipt): Promise<boolean> {
  const answers = await Promise.allSettled(sources.map((source) => askAbout(source, receipt)))
  const told = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  return isConfirmed(receipt, told)
}
