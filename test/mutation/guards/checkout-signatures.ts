import type { Mutant } from '../mutant.ts'

/** Tests of submissions with an unknown outcome. */
const UNKNOWN = 'does not request a further payment, even after a reload, when'

const onPage = (title: string) => ({ file: 'test/browser/sign.test.ts', title })

/** Which data the checkout page asks the payer to sign, and which payments it requests afterwards. */
export const CHECKOUT_SIGNATURE_RULES: readonly Mutant[] = [
  {
    rule: 'the page does not request a signature for a payment to an address that it does not show',
    at: 'api/checkout/browser/sign.ts#requireAsShown',
    take: "isSame(message.to, checkout.howToPay?.address ?? '') &&",
    put: '',
    test: onPage('does not request a signature for an address that differs from the shown address'),
  },
  {
    rule: 'the page does not offer another payment while the signed payment might be executed',
    at: 'api/checkout/browser/sign.ts#unclear',
    take: "new WalletError('script.unclear', {}, true)",
    put: "new WalletError('script.unclear', {}, false)",
    test: onPage(UNKNOWN),
  },
  {
    rule: 'another payment is offered only after an error code that proves that no payment was sent',
    at: 'api/checkout/browser/sign.ts#toRefusal',
    take: 'default: return unclear()',
    put: 'default: return notNow()',
    test: onPage(UNKNOWN),
  },
  {
    rule: 'a proxy’s error response is not the service’s rejection',
    at: 'api/checkout/browser/call-service.ts#callService',
    take: "return code ? { type: 'no', code, atMs }",
    put: "return !response.ok ? { type: 'no', code: code ?? 'not_found', atMs }",
    test: onPage(UNKNOWN),
  },
  {
    rule: 'the page does not offer a payment while another payer’s signature is in flight',
    at: 'api/checkout/browser/sign.ts#prepareSigning',
    take: "if (said.type === 'no' && said.code === 'payment_in_progress')",
    put: "if (said.type === 'nothing')",
    test: onPage('does not request a payment while someone else’s signature is in flight'),
  },
  {
    rule: 'after an error response, a signed payment counts as expired only if the error code proves that no payment is in flight',
    at: 'api/checkout/browser/sign.ts#hasExpired',
    take: 'NOTHING_IN_FLIGHT.has(said.code)',
    put: "said.type === 'no'",
    test: onPage('shows how to pay again once the signature has expired by the service’s clock and'),
  },
  {
    rule: 'a signed payment that arrived late is not deleted',
    at: 'api/checkout/browser/pay.ts#createPaymentSession',
    take: '&& findSubmitted(current()) === sent',
    put: '',
    test: onPage('does not report a late payment as failed, and waits for it again after a reorganization'),
  },
  {
    rule: 'a payer who has not signed can send a transfer while another signature blocks the charge',
    at: 'api/checkout/browser/render-submitted.ts#getPhrases',
    take: "text: 'script.held', way: 'script.notSigned'",
    put: "text: 'script.held', way: null",
    test: onPage(
      'lets a payer who has signed nothing send a transfer while someone else’s signature blocks the charge',
    ),
  },
  {
    rule: 'a signed payment expires by the service’s clock, not by the payer’s',
    at: 'api/checkout/browser/sign.ts#hasExpired',
    take: 'said.atMs >= validBefore',
    put: 'Date.now() >= validBefore',
    test: onPage('shows how to pay again once the signature has expired by the service’s clock and'),
  },
]
