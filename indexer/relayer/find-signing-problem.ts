import type { Address, Hex } from '../../shared/domain/address.ts'
import { NOBODY } from '../../shared/domain/distribution-call.ts'
import { readSteps, type Step } from './read-steps.ts'

/** A transaction that nobody has signed yet. */
export type Unsigned = {
  readonly chainId: number
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
}

/** What an account of ours is for: each has a key of its own, and signs nothing of the other's. */
export type Duty = 'payouts' | 'authorizations'

/** What a key of ours may sign for, on one chain. */
export type Permits = {
  readonly chainId: number
  readonly relayer: Address
  readonly duty: Duty
  /** The tokens that are watched there; for authorizations those alone that are offered for them. */
  readonly tokens: readonly Address[]
  /** Charges that accept the chain, whose terms were computed again. */
  readonly charges: readonly PermittedCharge[]
}

/** Where a charge is paid and paid out, and whom its split pays. */
export type PermittedCharge = {
  readonly address: Address
  readonly splitAddress: Address
  readonly recipients: readonly Address[]
  readonly isEscrow: boolean
}

/**
 * Answers why a transaction must not be signed, or `null` if it may be.
 *
 * Pure, and the last thing before the signature: whatever else is wrong, forged or confused, our key signs nothing but
 * the distribution and the release of splits that were computed again, the making of their Safes and what their
 * releasers have signed for them, several of these in one call of MultiSendCallOnly, and nothing at all to itself. The
 * account for authorizations signs those alone, each to the address of a charge that was computed again, and the other
 * account none of them: what is wrong with one can never cost the other's money.
 */
export function findSigningProblem(transaction: Unsigned, permits: Permits): string | null {
  const { chainId, to, data, value } = transaction
  if (chainId !== permits.chainId) return `chain ${chainId} is not ${permits.chainId}`
  if (value !== 0n) return `a value of ${value} wei is not 0`
  if (to === permits.relayer) return data === '0x' ? null : 'a call of ourselves'
  const steps = readSteps({ to, data })
  if (steps === null) return `${to} is called with ${data.slice(0, 10)}, which is none of our calls`
  const foreign = steps.find((step) => dutyOf(step) !== permits.duty)
  if (foreign !== undefined) return `a ${foreign.kind} is none of the account's for ${permits.duty}`
  return steps.map((step) => findStepProblem(step, permits)).find((problem) => problem !== null) ?? null
}

/** Lists the addresses of charges that a transaction is about, for the caller to look up. */
export function listServedAddresses({ to, data }: Unsigned): readonly Address[] {
  return [...new Set((readSteps({ to, data }) ?? []).map(addressOf))]
}

function addressOf(step: Step): Address {
  if (step.kind === 'authorization') return step.recipient
  return 'splitAddress' in step ? step.splitAddress : step.safeAddress
}

function dutyOf({ kind }: Step): Duty {
  return kind === 'authorization' ? 'authorizations' : 'payouts'
}

/** Answers why one step of a call must not be signed for, or `null` if it may be. */
export function findStepProblem(step: Step, permits: Permits): string | null {
  if ('token' in step && !permits.tokens.includes(step.token)) return `token ${step.token} is none of ours`
  switch (step.kind) {
    case 'distribution':
      return findDistributionProblem(step, permits)
    case 'authorization':
      return permits.charges.some(({ address }) => address === step.recipient)
        ? null
        : `${step.recipient} is no address of a charge`
    case 'release':
      return chargeWithSplit(step.splitAddress, permits)
        ? null
        : `${step.splitAddress} is no split of a charge`
    case 'safe creation':
    case 'safe execution':
      return permits.charges.some(({ address, isEscrow }) => isEscrow && address === step.safeAddress)
        ? null
        : `${step.safeAddress} is no Safe of a charge`
  }
}

/** The incentive is for us, for nobody, or for one whom the split pays. */
function findDistributionProblem(
  { splitAddress, distributor }: Extract<Step, { kind: 'distribution' }>,
  permits: Permits,
): string | null {
  const charge = chargeWithSplit(splitAddress, permits)
  if (charge === undefined) return `${splitAddress} is no split of a charge`
  const isOurs = [permits.relayer, NOBODY, ...charge.recipients].includes(distributor)
  return isOurs ? null : `distributor ${distributor} is none of ours`
}

function chargeWithSplit(address: Address, { charges }: Permits): PermittedCharge | undefined {
  return charges.find(({ splitAddress }) => splitAddress === address)
}
