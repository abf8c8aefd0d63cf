import type { Address, Hex } from '../../shared/domain/address.ts'
import { ANY_DISTRIBUTOR } from '../../shared/domain/distribution-call.ts'
import { readSteps, type Step } from './read-steps.ts'

/** A transaction before its signature. */
export type UnsignedTransaction = {
  readonly chainId: number
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
}

/** Purpose of a relayer account. Each purpose has its own key, which never signs for the other purpose. */
export type KeyPurpose = 'payouts' | 'authorizations'

/** Limits of a relayer key on one chain. */
export type SigningPolicy = {
  readonly chainId: number
  readonly relayer: Address
  readonly duty: KeyPurpose
  /** The watched tokens of the chain; for authorizations, only the tokens that accept payment by signature. */
  readonly tokens: readonly Address[]
  /** Charges that accept the chain and whose terms were recomputed. */
  readonly charges: readonly SignableCharge[]
}

/** A charge's address, its split and the recipients of the split. */
export type SignableCharge = {
  readonly address: Address
  readonly splitAddress: Address
  readonly recipients: readonly Address[]
  readonly isEscrow: boolean
}

/**
 * Returns the reason why a transaction must not be signed, or `null` if it may be.
 *
 * Pure, and the last check before the signature. Even if other code fails or rows are forged, the payout key signs only
 * distributions and releases of recomputed splits, the creation of the charges' Safes, and token transfers out of these
 * Safes. One MultiSendCallOnly call may contain several of these calls. A Safe executes a transfer only with its
 * releaser's signature. Only the authorization key signs authorizations, and it signs nothing else. Each authorization
 * must pay the address of a recomputed charge. Neither key sends value, and a transaction to the key's own account must
 * be empty.
 */
export function findSigningProblem(transaction: UnsignedTransaction, permits: SigningPolicy): string | null {
  const { chainId, to, data, value } = transaction
  if (chainId !== permits.chainId) return `the chain is ${chainId}: must be ${permits.chainId}`
  if (value !== 0n) return `the call sends ${value} wei: must be 0`
  if (to === permits.relayer) return data === '0x' ? null : 'a call to our own account'
  const steps = readSteps({ to, data })
  if (steps === null) return `${to} is called with ${data.slice(0, 10)}, which is not one of our calls`
  const foreign = steps.find((step) => dutyOf(step) !== permits.duty)
  if (foreign !== undefined)
    return `calls of the kind "${foreign.kind}" are not allowed for an account with the purpose ${permits.duty}`
  return steps.map((step) => findStepProblem(step, permits)).find((problem) => problem !== null) ?? null
}

/** Lists the addresses of charges and splits in a transaction, so that the caller can look up the charges. */
export function listChargeAddresses({ to, data }: UnsignedTransaction): readonly Address[] {
  return [...new Set((readSteps({ to, data }) ?? []).map(addressOf))]
}

function addressOf(step: Step): Address {
  if (step.kind === 'authorization') return step.recipient
  return 'splitAddress' in step ? step.splitAddress : step.safeAddress
}

function dutyOf({ kind }: Step): KeyPurpose {
  return kind === 'authorization' ? 'authorizations' : 'payouts'
}

export function findStepProblem(step: Step, permits: SigningPolicy): string | null {
  if ('token' in step && !permits.tokens.includes(step.token)) return `token ${step.token} is not configured`
  switch (step.kind) {
    case 'distribution':
      return findDistributionProblem(step, permits)
    case 'authorization':
      return permits.charges.some(({ address }) => address === step.recipient)
        ? null
        : `${step.recipient} is not the address of a charge`
    case 'release':
      return chargeWithSplit(step.splitAddress, permits)
        ? null
        : `${step.splitAddress} is not the split of a charge`
    case 'safe creation':
    case 'safe execution':
      return permits.charges.some(({ address, isEscrow }) => isEscrow && address === step.safeAddress)
        ? null
        : `${step.safeAddress} is not the Safe of a charge`
  }
}

/** The split must belong to a charge; the distributor must be the relayer, the zero address or a split's recipient. */
function findDistributionProblem(
  { splitAddress, distributor }: Extract<Step, { kind: 'distribution' }>,
  permits: SigningPolicy,
): string | null {
  const charge = chargeWithSplit(splitAddress, permits)
  if (charge === undefined) return `${splitAddress} is not the split of a charge`
  const isOurs = [permits.relayer, ANY_DISTRIBUTOR, ...charge.recipients].includes(distributor)
  return isOurs ? null : `the distributor ${distributor} is neither our account nor a recipient`
}

function chargeWithSplit(address: Address, { charges }: SigningPolicy): SignableCharge | undefined {
  return charges.find(({ splitAddress }) => splitAddress === address)
}
