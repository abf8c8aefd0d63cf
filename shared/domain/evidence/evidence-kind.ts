/** Kinds of logs that count for a charge. Each description gives the meaning and the log's `party`. */
export const EVIDENCE_KINDS = {
  credit: "a transfer to the charge's address; the party is the sender",
  distribution: 'the split paid its balance to the recipients of the terms; the party is the distributor',
  held: 'the split keeps a share, because the recipient could not be paid; the party is the recipient',
  released: 'the split paid a kept share; the party is the recipient',
  escrow_release: 'a transfer out of the escrow to the split; the party is the split',
  escrow_refund: 'a transfer out of the escrow to another account; the party is that account',
} as const satisfies Readonly<Record<string, string>>

export type EvidenceKind = keyof typeof EVIDENCE_KINDS
