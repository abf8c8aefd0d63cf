import { hashBlock, isTronBlock } from './block-id.ts'
import type { Block } from './chain.ts'
import type { LieTerms } from './lie-kinds.ts'
import { MISDATED_SECONDS, reportBlock } from './report-block.ts'

/** Number of blocks by which the other chain is above the chain: more than any history adds. */
export const ABOVE_BLOCKS = 1_000
/** Number of its blocks that a feed has read: more than the confirmation depth. */
const READ_BLOCKS = 5

type Terms = Pick<LieTerms, 'listTargets' | 'tokens'>

/**
 * Builds the last blocks of another chain, which is far above the given block. Their timestamps are after every
 * deadline. Each contains a payment to a charge, as on the testnet of a chain, where charges have the same addresses.
 */
export function buildOtherChain(below: Block, terms: Terms): readonly Block[] {
  const first = below.number + ABOVE_BLOCKS
  return Array.from({ length: READ_BLOCKS }, (_, index) =>
    inventPayment(buildOtherBlock(below, first + index), { ...terms, fromNumber: 0 }),
  )
}

/** Builds an empty block of another chain. */
export function buildOtherBlock(below: Block, number: number): Block {
  const hash = hashBlock(`other chain ${below.hash} ${number}`, { number, isTron: isTronBlock(below) })
  const timestamp = below.timestamp + MISDATED_SECONDS
  return { number, hash, parent: null, timestamp, receipts: [], state: below.state }
}

/** Returns a block of the chain without its transactions, but with an invented payment to a charge. */
export function replacePayments(block: Block, terms: Terms): Block {
  return inventPayment({ ...block, receipts: [] }, { ...terms, fromNumber: 0 })
}

function inventPayment(block: Block, terms: Omit<LieTerms, 'kinds'>): Block {
  return reportBlock(block, { ...terms, kinds: ['invents payments'] })
}
