import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { FaultRates } from './engine/faults.ts'
import type { LieKind } from './model/lie-kinds.ts'
import type { PlannedApi } from './plan-api.ts'
import type { PlannedOrder, PlannedTrouble } from './plan-faults.ts'
import type { PlannedSandboxCharge } from './plan-sandbox.ts'
import type { ClaimPlan } from './planned-claim.ts'
import type { EscrowPlan } from './planned-escrow.ts'
import type { RepairPlan } from './planned-repair.ts'
import type { SignaturePlan } from './planned-signature.ts'

/** A payer's payment to a charge. `share` is its share of the requested amount. */
export type PlannedPayment = {
  readonly atMs: number
  readonly share: number
  readonly chainId: number
  readonly tokenIndex: number
  /** Whether the payment consists of three transfers in one transaction: of zero, a third, and two thirds. */
  readonly isDivided: boolean
  /**
   * Amount by which a payment in Arc's coin exceeds its share, in 10⁻¹⁸ dollars; can be negative. `undefined` for a
   * transfer of the token.
   */
  readonly extraAtto?: bigint
}

/** A requested check of a charge, and the payment that its hint names; `null` for no hint. */
export type PlannedCheck = { readonly atMs: number; readonly paymentIndex: number | null }

export type PlannedCharge = {
  readonly atMs: number
  readonly organizationIndex: number
  readonly amountMicro: bigint
  readonly expiresInMs: number
  /** Whether the deadline is a whole second, like block timestamps. */
  readonly endsOnSecond: boolean
  readonly hasPartner: boolean
  /** Whether the charge accepts only TRON. */
  readonly isOnTron?: boolean
  readonly payments: readonly PlannedPayment[]
  readonly checks: readonly PlannedCheck[]
  /** Time at which a keeper distributes; `null` for never. */
  readonly keeperAtMs: number | null
}

/**
 * Everything that happens in one seed's history, independently of the service's reactions. Every `atMs` counts from
 * the start of the history.
 */
export type Plan = EscrowPlan &
  SignaturePlan &
  ClaimPlan &
  RepairPlan & {
    readonly deployments: readonly IndexerDeployment[]
    /** Time by which a chain's block timestamps are ahead of the service's clock, by chain id. Can be negative. */
    readonly aheadMs: ReadonlyMap<number, number>
    readonly daemons: number
    /** Maximum delay of timers of a second or more. */
    readonly latenessMs: number
    /** Maximum number of database connections per process. */
    readonly connections: number
    readonly charges: readonly PlannedCharge[]
    readonly troubles: readonly PlannedTrouble[]
    readonly orders: readonly PlannedOrder[]
    readonly commands: readonly PlannedCommand[]
    readonly rates: FaultRates
    readonly api: PlannedApi
    readonly sandbox: readonly PlannedSandboxCharge[]
    /** `null` if networks never sleep. */
    readonly sleep: PlannedSleep | null
    readonly losses: readonly PlannedLoss[]
    /** Time from the start of the history until the faults end. */
    readonly troubledMs: number
  }

export type PlannedSleep = {
  /** Time without work after which a network sleeps. */
  readonly afterSeconds: number
  /** Chains that sleep when the history starts. */
  readonly asleep: readonly number[]
  /** Times at which daemons are killed, in the seconds in which charges wake networks. */
  readonly deathsMs: readonly number[]
}

/** A loss that outlasts the faults: one of two daemons, or one of the three nodes of a chain. */
export type PlannedLoss =
  | { readonly kind: 'daemon'; readonly daemonIndex: number }
  | {
      readonly kind: 'node'
      readonly chainId: number
      readonly nodeIndex: number
      /** How the node lies; `null` if it is silent. */
      readonly lies: readonly LieKind[] | null
    }

/**
 * An operator's command, and the time after which the operator ends or repeats it. An imported charge is created at
 * `atMs` and imported `forMs` later. Rows that the chain lost, or that a trusted node invented, are struck from the end
 * of the command on.
 */
export type PlannedCommand = { readonly atMs: number; readonly forMs: number } & (
  | {
      readonly kind: 'trust node'
      readonly chainId: number
      readonly nodeIndex: number
      /** Whether the trust lasts until the operator ends it, while the other nodes are silent. */
      readonly isLong?: boolean
    }
  | { readonly kind: 'end unconfirmed charges' }
  | { readonly kind: 'strike rows'; readonly chainId: number }
  | { readonly kind: 'trust liar'; readonly chainId: number; readonly nodeIndex: number }
  | { readonly kind: 'import charge'; readonly charge: PlannedCharge }
)
