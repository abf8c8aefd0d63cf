import { formatUnits } from 'viem'
import { deriveParties, requirePayable } from '../../api/charges/charge-parties.ts'
import { draftCharge } from '../../api/charges/draft-charge.ts'
import type { CreateChargeRequest } from '../../api/charges/request-schema.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import { createApiConfig } from './api/create-app.ts'
import { listAcceptedPairs } from './create-charge.ts'
import type { PlannedCharge } from './plan-types.ts'
import { ORGANIZATIONS } from './world.ts'

type Terms = { readonly deployments: readonly IndexerDeployment[]; readonly now: Date }

/** Builds a charge as the API would, without storing it, as if the database had been restored from an older backup. */
export function buildLostCharge(planned: PlannedCharge, { deployments, now }: Terms): ChargeRecord {
  const organization = ORGANIZATIONS[planned.organizationIndex]
  if (organization === undefined) throw new Error(`there is no organization ${planned.organizationIndex}`)
  const { id: organizationId, keyId, environment, merchant } = organization
  const acceptedPayments = listAcceptedPairs(deployments, { ...planned, organization })
  const key = {
    id: keyId,
    organizationId,
    environment,
    payoutAddresses: { evm: merchant, tron: merchant },
    now,
  }
  const request = {
    key: { ...key, feePercent: null, escrowFeePercent: null },
    body: { acceptedPayments, expiresIn: planned.expiresInMs / 1000 },
    sourceOf: (_: object, name: string) => (name === 'amount' ? formatUnits(planned.amountMicro, 6) : null),
  } as unknown as CreateChargeRequest
  const config = createApiConfig(deployments)
  const parties = requirePayable(deriveParties(request, config), environment)
  return draftCharge(request, { parties, splits: [], config })
}
