import { Type } from '@sinclair/typebox'
import { MAX_LOGS_LISTED } from '../../../shared/db/evidence/api/charge-evidence.ts'
import { EVIDENCE_KINDS } from '../../../shared/domain/evidence/evidence-kind.ts'
import { PROOF_FAILURES } from '../../../shared/domain/evidence/proof-failure.ts'
import {
  Bytes32,
  buildPageSchema,
  describe,
  extendObject,
  HexData,
  IntegerText,
  NetworkName,
  nullable,
  Paging,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../../http/schema.ts'
import { AddressTerms } from '../address-terms-schema.ts'

/** The query of `GET /v1/charges/{id}/evidence`. */
export const EvidenceQuery = strictObject(Paging)

/** The reason for a missing proof while the daemon has not finished its attempts. It is never stored. */
export const MISSING_PROOFS = {
  pending: 'the daemon has not made the proof yet; request the evidence again',
} as const

const EvidenceLog = strictObject(
  {
    kind: stringEnum(Object.keys(EVIDENCE_KINDS) as (keyof typeof EVIDENCE_KINDS)[], {
      description: describeWords(EVIDENCE_KINDS),
    }),
    position: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Index of the log among the logs of its receipt, from 0; null without a proof.',
    }),
    token: TokenName,
    tokenAddress: PresentedAddress,
    party: PresentedAddress,
    amountAtomic: describe(
      IntegerText,
      'The amount in the log. On arc, transfers are logged with 18 decimals, and distributions with 6.',
    ),
    countedAt: Timestamp,
    agreedAt: nullable(Timestamp, {
      description: 'When a quorum of nodes showed the log. Reported by the service; not part of the proof.',
    }),
    agreedBy: Type.Array(Type.String(), {
      description:
        'The operators of the nodes that showed the log: a name, or a number if the operator has only an address; `a single trusted node` if the service trusted one node at the time. Reported by the service; not part of the proof.',
    }),
  },
  { title: 'EvidenceLog', description: 'A log that counted for the charge.' },
)

const ReceiptProof = strictObject(
  {
    header: describe(HexData, 'The header of the block in RLP. Its keccak256 is the hash of the block.'),
    transactionIndex: Type.Integer({ minimum: 0 }),
    receiptNodes: Type.Array(HexData, {
      description:
        "The nodes of the block's receipts trie from the root, whose keccak256 is the header's `receiptsRoot` (field 5, from 0), to the leaf at the RLP of `transactionIndex`, which contains the receipt.",
    }),
  },
  {
    title: 'ReceiptProof',
    description: 'Proves the receipt and its logs to anyone who knows the hash of the block.',
  },
)

const EvidenceTransaction = strictObject(
  {
    network: NetworkName,
    chainId: Type.Integer({ minimum: 1 }),
    txHash: Type.String({
      description: 'For look-up only: a receipt does not contain the hash of its transaction.',
    }),
    block: strictObject({ number: Type.Integer({ minimum: 0 }), hash: Bytes32, time: Timestamp }),
    logs: Type.Array(EvidenceLog),
    logsOmitted: Type.Integer({
      minimum: 0,
      description: `Number of further logs of the transaction that counted: at most ${MAX_LOGS_LISTED} are listed.`,
    }),
    proof: nullable(ReceiptProof),
    reason: nullable(
      stringEnum(
        [...Object.keys(PROOF_FAILURES), ...Object.keys(MISSING_PROOFS)] as (
          | keyof typeof PROOF_FAILURES
          | keyof typeof MISSING_PROOFS
        )[],
        { description: `Why \`proof\` is null. ${describeWords({ ...PROOF_FAILURES, ...MISSING_PROOFS })}` },
      ),
    ),
  },
  {
    title: 'EvidenceTransaction',
    description: 'A transaction that paid the charge or distributed its money.',
  },
)

/** One page of `GET /v1/charges/{id}/evidence`. */
export const ChargeEvidence = extendObject(
  buildPageSchema(EvidenceTransaction),
  {
    charge: strictObject(
      { id: Type.String(), address: PresentedAddress, addressTerms: AddressTerms },
      { description: 'The terms, which name who is paid, and from which anyone can compute the address.' },
    ),
  },
  {
    title: 'ChargeEvidence',
    description: 'Evidence of payments and distributions that can be verified without the service.',
  },
)

function describeWords(words: Readonly<Record<string, string>>): string {
  return Object.entries(words)
    .map(([word, meaning]) => `\`${word}\`: ${meaning}`)
    .join('; ')
    .concat('.')
}
