import { AppError } from '../../shared/domain/errors.ts'

type Params = Readonly<Record<string, string>>

/** The error for a webhook that there is not for this key: another tenant's too. */
export function refuseWebhook(params: Params): AppError {
  return new AppError('webhook_not_found', `there is no webhook ${shown(params['id'])} for this API key`)
}

/** The error for a delivery that this webhook has not. */
export function refuseDelivery(params: Params): AppError {
  return new AppError('delivery_not_found', `the webhook has no delivery ${shown(params['deliveryId'])}`)
}

function shown(id: string | undefined): string {
  return (id ?? '').slice(0, 60)
}
