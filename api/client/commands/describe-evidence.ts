import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { PROOF_FAILURES } from '../../../shared/domain/evidence/proof-failure.ts'
import { formatShare } from '../format-share.ts'
import type { VerifiedEvidence, VerifiedTransaction } from '../verify-evidence.ts'
import type { EvidenceToken, PaidShare, VerifiedLog } from '../verify-evidence-logs.ts'

/** Describes the proven facts, and separately the facts that are only reported or not verified. */
export function describeEvidence(evidence: VerifiedEvidence): readonly string[] {
  const { verified, unverified } = evidence
  const reported = verified.flatMap(describeReport)
  return [
    ...describeTerms(evidence),
    ...verified.flatMap((one) => ['', ...describeTransaction(one)]),
    '',
    'This holds if you took each block hash from the named network itself. A hash does not name its network.',
    ...(reported.length === 0 ? [] : ['', 'Reported by the service, not proven:', ...reported]),
    ...(unverified.length === 0
      ? []
      : ['', 'NOT VERIFIED:', ...unverified.map((one) => describeUnverified(one, verified))]),
  ]
}

/** Describes the proven terms. The address commits to its terms, but not to its issuer. */
function describeTerms(evidence: VerifiedEvidence): readonly string[] {
  const { chargeId, address, splitAddress, escrowOwner, incentive, recipients } = evidence
  const split = escrowOwner === null ? 'It' : `Its split ${splitAddress}`
  return [
    `PROVEN: the address ${address} is computed from the id ${chargeId} and these terms.`,
    ...(escrowOwner === null
      ? []
      : [`It is an ESCROW: the account ${escrowOwner} alone decides where money at this address goes.`]),
    `${split} pays ${formatShare(incentive)} of each distribution to the distributor, and of the rest:`,
    ...recipients.map((one) => `  ${formatShare(one.allocation)} to ${one.address}`),
    'Who issued the address is not proven: make sure that you gave the address that the merchant showed.',
  ]
}

function describeTransaction(transaction: VerifiedTransaction): readonly string[] {
  const { block, transactionIndex, logs, paid } = transaction
  const chain = describeChain(transaction)
  return [
    `In block ${block.number} of ${chain}, made at ${block.time}, with the hash`,
    `${block.hash}, transaction number ${transactionIndex} (counted from 0) succeeded, and in it:`,
    ...logs.map((log) => `  ${describeLog(log)}`),
    ...(paid.length === 0 ? [] : ['  In this transaction the split paid, in total:']),
    ...paid.map((share) => `    ${describeShare(share, logs)}`),
  ]
}

/** Describes the chain. Only the registry proves which network has a chain id; the name in the evidence does not. */
function describeChain({ network, chainId, logs }: VerifiedTransaction): string {
  const environment = logs[0]?.of.environment ?? null
  if (environment === null) return `the chain with the id ${chainId}, which the evidence calls ${network}`
  return `${network}${environment === 'test' ? ' (a test network)' : ''}, chain id ${chainId}`
}

function describeLog({ kind, party, amountAtomic, of }: VerifiedLog): string {
  const sent = formatAmount(amountAtomic, of, of.transferDecimals)
  const split = formatAmount(amountAtomic, of, of.decimals)
  const texts = {
    credit: `${sent} reached the charge's address from ${party}`,
    distribution: `the charge's split distributed ${split} (distributor ${party})`,
    held: `the charge's split kept ${split} for ${party}, who could not be paid`,
    released: `the charge's split paid ${party} the kept ${split}`,
    escrow_release: `the escrow moved ${sent} to the charge's split`,
    escrow_refund: `the escrow moved ${sent} to ${party}`,
  } as const satisfies Record<VerifiedLog['kind'], string>
  return texts[kind]
}

function describeShare(
  { of, address, amountAtomic, allocation }: PaidShare,
  logs: readonly VerifiedLog[],
): string {
  const amount = formatAmount(amountAtomic, of, of.transferDecimals)
  const isDistributor = logs.some(({ kind, party }) => kind === 'distribution' && party === address)
  const other = isDistributor ? 'the distributor' : 'not named by the terms or a listed distribution'
  const role = allocation === null ? other : `${formatShare(allocation)} by the terms`
  return `${amount} to ${address} (${role})`
}

function formatAmount(
  amountAtomic: string,
  { token, tokenAddress }: EvidenceToken,
  decimals: number | null,
): string {
  return decimals === null
    ? `${amountAtomic} units of the token ${tokenAddress} that you named`
    : `${formatDecimal(BigInt(amountAtomic), decimals)} ${token}`
}

/** Describes the reported facts: the transaction's hash, the operators that showed it, and when one last did. */
function describeReport({ txHash, block, logs }: VerifiedTransaction): readonly string[] {
  const times = logs.flatMap(({ agreedAt }) => agreedAt ?? [])
  const nodes = [...new Set(logs.flatMap(({ agreedBy }) => agreedBy))]
  const agreed =
    nodes.length === 0
      ? ''
      : `; ${nodes.join(', ')} showed it, last at ${times.toSorted().at(-1) ?? 'unknown'}`
  return [`  block ${block.number}: the transaction is ${txHash}${agreed}`]
}

/**
 * Describes why a transaction is not verified. If another transaction of its block is verified, the user gave the
 * block's hash.
 */
function describeUnverified(
  { network, txHash, block, reason }: VerifiedEvidence['unverified'][number],
  verified: readonly VerifiedTransaction[],
): string {
  const isTrusted = verified.some((one) => one.block.hash === block.hash)
  const missing = isTrusted
    ? 'the evidence has no proof of it'
    : `you gave no hash of its block (${block.hash} according to the evidence)`
  const why =
    reason === null
      ? missing
      : `no proof: ${Object.hasOwn(PROOF_FAILURES, reason) ? PROOF_FAILURES[reason as keyof typeof PROOF_FAILURES] : reason}`
  return `  ${txHash} in block ${block.number} of ${network}: ${why}`
}
