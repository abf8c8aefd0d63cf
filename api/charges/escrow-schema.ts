import { ESCROW_ACTIONS } from '../../shared/domain/escrow-action.ts'
import { nullable, PresentedAddress, strictObject, stringEnum, Timestamp } from '../http/schema.ts'

/** The escrow of a charge. */
export const EscrowView = strictObject({
  releaserAddress: PresentedAddress,
  releasedAt: nullable(Timestamp),
  refundedAt: nullable(Timestamp),
  pendingAction: nullable(stringEnum(ESCROW_ACTIONS), {
    description:
      'The action that the releaser ordered through the service, until the chain shows it with the required confirmations. Null again after that, or when the order ended without effect.',
  }),
})
