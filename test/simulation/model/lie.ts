import { keccak256, stringToHex } from 'viem'
import type { Block } from './chain.ts'
import type { LieKind, LieTerms } from './lie-kinds.ts'
import { MISDATED_SECONDS, reportBlock } from './report-block.ts'

/** What one node claims instead of the truth, to the feed and to every other caller alike. */
export type Lie = {
  readonly kinds: readonly LieKind[]
  /** Returns the chain that ends in this block as the node shows it; the same block for the same one. */
  readonly show: (head: Block) => Block
}

/** Blocks that a node invents above the chain's last one: more than the confirmation depth. */
const INVENTED_BLOCKS = 5
/** Creates the lie of one node. */
export function createLie(terms: LieTerms): Lie {
  const { kinds, fromNumber } = terms
  const shown = new WeakMap<Block, Block>()
  const tops = new WeakMap<Block, Block>()
  return { kinds, show }

  function show(head: Block): Block {
    const block = showBlock(head)
    if (!kinds.includes('invents blocks')) return block
    const top = tops.get(head) ?? inventBlocks(block, terms)
    tops.set(head, top)
    return top
  }

  function showBlock(block: Block): Block {
    if (block.number < fromNumber) return block
    const known = shown.get(block)
    if (known !== undefined) return known
    const parent = block.parent === null ? null : showBlock(block.parent)
    const told = reportBlock({ ...block, parent }, terms)
    shown.set(block, told)
    return told
  }
}

function inventBlocks(head: Block, terms: LieTerms): Block {
  let top = head
  for (let index = 1; index <= INVENTED_BLOCKS; index += 1)
    top = reportBlock(
      {
        ...{ number: top.number + 1, parent: top, timestamp: top.timestamp + MISDATED_SECONDS },
        ...{ hash: keccak256(stringToHex(`above ${head.hash} ${index}`)), receipts: [], state: head.state },
      },
      terms,
    )
  return top
}
