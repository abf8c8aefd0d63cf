/** Reasons why a receipt has no proof, with their meanings. The API returns the names. */
export const PROOF_FAILURES = {
  not_committed:
    "the headers of the network commit to the transactions of a block and to their success, but not to receipts or logs, so that no log can be proven by a block's hash (TRON)",
  block_not_served:
    "no node returned the block's receipts while the daemon tried; nodes delete old receipts, and the daemon reads at most 32 MiB",
  unknown_header: "the hash of the header's fields, as nodes return them, is not the block's hash",
  unknown_receipts:
    "the block's receipts, as nodes return them, do not have the root in the header (this release might be unable to encode a type of transaction), or do not contain the counted logs",
  too_large: 'the proof has more than 28 KiB, or more than 128 KiB for a receipt of more than 100 logs',
  dust: 'the transaction moved less than a dollar of a charge that has 20 proofs of such transactions',
} as const satisfies Readonly<Record<string, string>>

export type ProofFailure = keyof typeof PROOF_FAILURES
