import { hashBlock, isTronBlock } from './block-id.ts'
import type { Block } from './chain.ts'
import type { LieKind, LieTerms } from './lie-kinds.ts'
import { MISDATED_SECONDS, reportBlock } from './report-block.ts'

/** A node's false version of the chain, which it shows to the feed and all other callers. */
export type Lie = {
  readonly kinds: readonly LieKind[]
  /** Returns the node's version of the chain that ends in this block, always the same for the same block. */
  readonly show: (head: Block) => Block
}

/** Number of blocks that a node invents on top of the chain. It exceeds the confirmation depth. */
const INVENTED_BLOCKS = 5

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
  const isTron = isTronBlock(head)
  let top = head
  for (let index = 1; index <= INVENTED_BLOCKS; index += 1)
    top = reportBlock(
      {
        ...{ number: top.number + 1, parent: top, timestamp: top.timestamp + MISDATED_SECONDS },
        hash: hashBlock(`above ${head.hash} ${index}`, { number: top.number + 1, isTron }),
        ...{ receipts: [], state: head.state },
      },
      terms,
    )
  return top
}
