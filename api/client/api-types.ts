// Written by `npm run client-types` from /v1/openapi.json; do not edit.

export interface paths {
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check the health of the service */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the token and network pairs available in the key's environment
         * @description For a test key the list also contains the pairs of testnets that are not configured. A charge that accepts only such pairs is simulated: the service reads no chain for it, and the sandbox triggers its events.
         */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List charges, newest first */
        get: operations["listCharges"];
        put?: never;
        /**
         * Create a charge
         * @description Returns the address to pay. Sends no transaction. A repeated `idempotencyKey` returns 201 with the current charge. `splitRecipients` also require the scope `charges:split_write`.
         */
        post: operations["createCharge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a charge */
        get: operations["getCharge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a charge as server-sent events
         * @description Sends the current charge first, then the charge after every change and every credit. As in webhooks, `paymentUnavailable`, `unavailablePayments`, `paymentOptions` and `payBySignature` are omitted, because they change without an event: read the charge before you request a payment. The stream ends when the charge is final; if it closes earlier, reconnect. The first event after a reconnect is the current state, so no resume is needed. A client that already has the final event receives 204.
         */
        get: operations["followCharge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the history of a charge, oldest first
         * @description A bare array without pages: at most the oldest 10,000 entries.
         */
        get: operations["listTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/accounting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the amounts that a charge received and paid out
         * @description The amounts are computed with the contract's own arithmetic, from payments and distributions that a quorum of nodes agreed on. For each pair, `received` plus `uncredited` is exactly the sum of `net`, `fee`, `incentive`, `otherShares`, `held`, `escrowRefunded`, `pending` and `rounding`. All amounts are zero, and `pairs` is empty, until the first payment or distribution counts. Lists at most the oldest 1,000 payments and payouts; the figures contain all of them.
         */
        get: operations["getChargeAccounting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get evidence of the payments and distributions of a charge
         * @description Returns, per transaction and oldest first, its counted logs and a proof that their receipt is in its block. Anyone who trusts the block's hash can verify offline that the payment reached the charge's address and whom its split paid: `verify-payment` of the client package does so. Credits of the sandbox are on no chain and are not listed. Lists at most the first 500 logs per transaction.
         */
        get: operations["getChargeEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the on-chain payment state of a charge now
         * @description Without `txHash`, scans the address for recent transfers; with it, checks only the named transaction. A charge can be checked once in 10 seconds, by all keys together. By default, an organization can make 100 checks a minute per environment. Checks on the page of the charge have their own limit. The endpoint has an additional rate limit: 100 requests per minute and organization, separately for each environment, unless the deployment is configured otherwise.
         */
        post: operations["checkCharge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/qrcode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Render a QR code with which a wallet pays the amount due of a charge
         * @description Contains a payment URI (EIP-681, or `tron:`) with the token, the address and the amount that the page of the charge requests: the part that was neither received nor seen. `409 charge_not_payable`: no amount may be requested now, for example while a payment by signature is in flight. If the charge accepts several pairs, name one.
         */
        get: operations["drawQrcode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote the amount due of a charge in another asset
         * @description Pass an entry of `swapAlternatives`. The response contains a transaction that buys exactly the part of `amount` that was neither credited nor seen yet, and sends it to the charge. If the swap costs less than `inputAmount`, the same transaction returns the rest to `takerAddress`. The service checks that each quote pays only this charge. Send the transaction before `expiresAt`. At most 10 quotes a minute per charge; quotes on its page have their own limit. `503 swap_quote_failed`: the provider returned no quote, or the quote was rejected.
         */
        post: operations["quoteCharge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/release/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prepare the release of an escrow for the releaser's signature
         * @description The whole live balance of the Safe is sent to the charge’s split. Dust is a total credit from one sender on one pair below 1 % of the charge’s `amount`. Dust on a second pair does not count as payment on several pairs.
         */
        get: operations["prepareEscrowRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Execute the release of an escrow, signed by the releaser */
        post: operations["orderEscrowRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/refund/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prepare the refund of an escrow for the releaser's signature
         * @description The whole live balance of the Safe is sent to the sender of the most recently credited transfer that is not dust. `destinationFrom` shows that transfer. Dust is a total credit from one sender on one pair below 1 % of the charge’s `amount`. If the Safe contains only dust, the sender of the most recent transfer receives it. This deviates deliberately from the specification, under which anyone who sends a cent last would receive the whole escrow.
         */
        get: operations["prepareEscrowRefund"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Execute the refund of an escrow, signed by the releaser */
        post: operations["orderEscrowRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prepare an authorization for a payer to sign instead of sending a payment
         * @description Returns EIP-712 typed data of EIP-3009 for each pair on which the amount due can be paid by signature now. The value is the part of `amount` that is neither credited nor detected yet. Have the payer sign the data of one pair only. `409 payment_in_progress`: a signed authorization might still pay. Do not request another signature before it has ended.
         */
        get: operations["prepareAuthorization"];
        put?: never;
        /**
         * Submit a payment authorization signed by the payer
         * @description Returns when the payment is mined, or after 30 seconds. While `authorization.state` is `signed`, the payment continues. Submitting the same authorization again returns its current state and never pays twice. The payment is credited like any other, after the required confirmations. At most 10 submissions a minute per charge.
         */
        post: operations["submitAuthorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charges/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the refunds of a charge, newest first
         * @description A bare array without pages, with at most 219 refunds: a declaration requires that fewer than 20 are open or confirmed, and that fewer than 200 have ended. Refunds that end, or are paid after their end, can exceed either number.
         */
        get: operations["listRefunds"];
        put?: never;
        /**
         * Declare a refund that you pay from your own wallet
         * @description Sends no transaction: it returns the transfer that your wallet must send, and the refund is confirmed when the transfer has the required confirmations. The refunds of a charge never exceed the amount that it received on the pair; you received less, because fees and splits were paid out of it. The refund expires after 30 days. A charge that was paid on several pairs requires `token` and `network`. With `destination.claim` the payer names the address, and you approve the address.
         */
        post: operations["createRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a refund */
        get: operations["getRefund"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve the address that a payer gave
         * @description Requires the address again, so that an address that was replaced in the meantime is not approved. The response contains the transfer that your wallet must send. A transfer from before the approval does not count. A repeated approval of the same address changes nothing.
         */
        post: operations["approveRefundClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject the address that a payer gave
         * @description The payer can give a different address with the new link in `claimUrl`. The old link is void.
         */
        post: operations["rejectRefundClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}/claim-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the payer’s link
         * @description Use this if the link was lost or seen by someone else. The old link becomes void. The new link is shown only in this response.
         */
        post: operations["createRefundClaimLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a refund that was not paid
         * @description Its amount is then available for other refunds. If you pay the canceled refund nevertheless, it becomes `confirmed`. Canceling a refund that has already ended changes nothing.
         */
        post: operations["cancelRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for the transfer of a refund now
         * @description The chain is searched every few seconds anyway. With `txHash`, that transaction is read, even if the refund ended long ago. The endpoint has an additional rate limit: 100 requests per minute and organization, separately for each environment, unless the deployment is configured otherwise.
         */
        post: operations["checkRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List recipients that are not revoked, newest first */
        get: operations["listRecipients"];
        put?: never;
        /**
         * Register a recipient, or restore the existing recipient of its address
         * @description An address has one recipient. Registering the address again sets the label if one is given, restores the recipient if it was revoked, and always removes its payout eligibility.
         */
        post: operations["registerRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a recipient that is not revoked */
        get: operations["getRecipient"];
        put?: never;
        post?: never;
        /**
         * Revoke a recipient; if it has `payout`, this also stops the API keys that pay it
         * @description Existing charges keep the recipient. Revoking a recipient with `payout` requires the scope `recipients:manage_payout`.
         */
        delete: operations["revokeRecipient"];
        options?: never;
        head?: never;
        /**
         * Set or remove a recipient's eligibility as an API key's payout address
         * @description A key has one payout address for EVM networks and may have another address for TRON. Each is a recipient whose address belongs to that kind of network. The service's own fee address cannot be made eligible.
         */
        patch: operations["setRecipientPayout"];
        trace?: never;
    };
    "/v1/recipients/{id}/transferability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the issuers of all available tokens allow a recipient to receive and send them
         * @description Responds within a second. Results are cached for up to five minutes (30 seconds for `unknown`, which blocks nothing). A charge is rejected if `receive` is `restricted` for any of its payees. `send` does not affect charges. The endpoint has an additional rate limit: 20 requests per minute and organization, unless the deployment is configured otherwise.
         */
        get: operations["getRecipientTransferability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distributions/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the distributions that anyone may execute
         * @description Lists the distributions of all organizations, longest available first. The keeper feed is public to every key of the environment.
         */
        get: operations["listPendingDistributions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distributions/pending/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the distributions that anyone may execute as server-sent events
         * @description Keep a map by split, network and token: additions and removals are idempotent. With `Last-Event-ID`, the stream continues after the last event received, unless an event that it would have to replay is more than 24 hours old. In that case, it starts over, as without `Last-Event-ID`.
         */
        get: operations["followPendingDistributions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks, newest first */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description The webhook gets the events of the key’s environment. An organization can have at most 20 webhooks. Only this response shows the secret.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/listen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow every webhook event as server-sent events
         * @description Requires no registered webhook. With `Last-Event-ID`, the stream continues after the last event received, unless an event that it would have to replay is more than 24 hours old. In that case, it starts with new events. `npm run svc -- listen` signs the events and forwards them to a receiver on your machine.
         */
        get: operations["listenToWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook and end its pending deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change the URL or the events of a webhook
         * @description Omitted fields and the secret are unchanged. Lists are replaced as a whole and apply to future events. Pending deliveries are sent to the new URL.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description The old secret also signs for 24 hours.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a signed webhook.test to this endpoint only
         * @description Returns the delivery as it will be before its first attempt. The list of deliveries contains it within seconds.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description With `status` or `event`, a page scans at most 10,000 deliveries. So it can have few or no entries and still have a `nextCursor`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery, with up to five attempts, the first immediately
         * @description Returns the delivery in its new state: `pending` and due immediately. `attempts` still includes the earlier attempts.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Aggregate the organization's charges, transactions or distributions
         * @description The scopes `metrics:<resource>:read` allow only their own resource. `transactions` are transfers on accepted pairs, including sandbox credits, which the field `source` identifies. By default, a query may take up to 5 seconds. The endpoint has an additional rate limit: 60 requests per minute and organization, unless the deployment is configured otherwise.
         */
        post: operations["queryMetrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounting/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the double-entry records of a period for accounting software
         * @description Every counted movement of money (one that the service has included in its sums) is one entry, with one row per leg. The amounts of an entry sum to zero, to the last digit. Entries are sorted by `time`, which is the time of the block or, for a correction, the time at which it was recorded. A correction is a new entry, so a recorded entry never changes. The response is streamed. An incomplete one ends without the last HTTP chunk; continue it with the `entry_id` of its last whole entry as `after` and its `Accounting-Recorded-Until` as `recordedUntil`. The trailers `Accounting-Entries` and `Repr-Digest` contain the number of entries and the SHA-256 of the body. While an export of an organization is in progress, another one can be rejected with `rate_limited`.
         */
        get: operations["exportAccountingEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/charges/{id}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate an event of a test charge: a payment, an expiry, a settlement or a refund
         * @description Uses no chain. The charge, its events and its webhooks behave as for a real event. A simulated payment has no `txHash` and uses the first accepted pair unless `token` and `network` name another pair. An escrow that has received only simulated payments is itself simulated. Its releaser must still sign the release or refund, but no transaction is sent. After a release, trigger `charge.settled` to settle the charge. Once the charge is also paid on a testnet, only the funds on the chain can be moved.
         */
        post: operations["triggerSandboxEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A token on a network, in which a charge can be paid. */
        AcceptedPayment: {
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
        };
        /** @description A counted payment. */
        AccountingPayment: {
            txHash: string | null;
            /** @description The counted amount. */
            amountAtomic: components["schemas"]["AtomicAmount"];
            sender: components["schemas"]["Address"] | null;
            block: number | null;
            blockTime: components["schemas"]["Timestamp"];
            creditedAt: components["schemas"]["Timestamp"];
            onTime: boolean;
        };
        /** @description A distribution of the split. */
        AccountingPayout: {
            txHash: string | null;
            /** @description The distributed amount, including the incentive. */
            amountAtomic: components["schemas"]["AtomicAmount"];
            distributor: components["schemas"]["Address"] | null;
            incentiveToDistributor: boolean;
            block: number | null;
            blockTime: components["schemas"]["Timestamp"];
        };
        /** @description The amounts paid to and held for one address of the split. */
        AccountingShare: {
            address: components["schemas"]["Address"];
            /** @enum {string} */
            kind: "merchant" | "recipient" | "treasury";
            recipientId: string | null;
            label: string | null;
            /** @description Paid out. */
            amountAtomic: components["schemas"]["AtomicAmount"];
            /** @description Held by the split for this address. */
            heldAtomic: components["schemas"]["AtomicAmount"];
        };
        /**
         * @description An address in its network's format: 0x with a checksum, or TRON's T form.
         * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
         * @example TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t
         */
        Address: string;
        /** @description All values needed to recompute `address` without trusting the service: `npm run verify-address`. */
        AddressTerms: {
            /**
             * @description Determines the format of the addresses and how they are computed.
             * @enum {string}
             */
            family?: "evm" | "tron";
            factory: components["schemas"]["Address"];
            /** @description keccak256 of the id of the charge. */
            salt: string;
            recipients: {
                address: components["schemas"]["Address"];
                /** @description Millionths of the amount left after the incentive. */
                allocation: number;
            }[];
            totalAllocation: number;
            /** @description Millionths of the total, paid to the account that distributes. */
            distributionIncentive: number;
            splitAddress: components["schemas"]["Address"];
            /** @description The custody contract of an escrow charge. */
            safe: {
                owner: components["schemas"]["Address"];
                threshold: number;
                singleton: components["schemas"]["Address"];
                proxyFactory: components["schemas"]["Address"];
                fallbackHandler: components["schemas"]["Address"];
            } | null;
        };
        /**
         * @example {
         *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
         *     }
         */
        ApproveRefund: {
            /** @description The payer’s address again. Copy it from the payer’s own message if you have one, and otherwise from `claim.address`, after a person has checked it. */
            address: string;
        };
        /**
         * @description An integer in units of 10^-`decimals` of the token, with a sign if it is negative.
         * @example 54450001
         */
        AtomicAmount: string;
        Bytes32: string;
        /** @description The pairs available in the key's environment. */
        Capabilities: {
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
        };
        /** @description A requested payment and its current state. */
        Charge: {
            id: string;
            /** @description Amount that the payer must send, in dollars. Never changes. */
            amount: number;
            amountExact?: components["schemas"]["ExactAmount"];
            /** @enum {string} */
            feePayer: "merchant" | "payer";
            /** @description Percentage of `amount`, including the escrow surcharge. */
            feePercent: number;
            feeAmount: number;
            /** @description `amount - feeAmount`: the amount for you and your split recipients. */
            merchantAmount: number;
            /** @description Sum of all credited transfers; null before the first. May exceed `amount`. */
            amountReceived: number | null;
            amountReceivedExact?: components["schemas"]["ExactAmount"] | null;
            /** @description Whether all accepted pairs are in `unavailablePayments` while a payment or the settlement is expected. If so, do not request payment. Omitted in webhooks and streams. */
            paymentUnavailable?: boolean;
            /** @description Accepted pairs that are paused, or whose network cannot be monitored, at the moment. Do not request payment on them. Omitted in webhooks and streams. */
            unavailablePayments?: components["schemas"]["AcceptedPayment"][];
            /** @description Each accepted pair with the amount to send on it now: `amount`, less payments that were received or seen. The amount to send is null while no payment may be requested, for example while a payment by signature is in flight. Omitted in webhooks and streams. */
            paymentOptions?: components["schemas"]["PaymentOption"][];
            /** @description The received total exceeds `amount`. The surplus is not refunded automatically. */
            isOverpaid: boolean;
            /** @enum {string} */
            currency: "USD";
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
            /** @description Pairs of credited transfers. */
            paidWith: components["schemas"]["AcceptedPayment"][];
            /** @description Further assets with which the charge can be paid through a swap. */
            swapAlternatives: components["schemas"]["SwapAlternative"][];
            /** @description Pairs for which a payer can sign an authorization (EIP-3009) instead of sending a transaction, without a coin for gas. Omitted in webhooks and streams. */
            payBySignature?: components["schemas"]["AcceptedPayment"][];
            address: components["schemas"]["Address"];
            addressTerms: components["schemas"]["AddressTerms"];
            status: components["schemas"]["ChargeStatus"];
            /** @description Null until a payout is queued. */
            settlementStatus: components["schemas"]["SettlementStatus"] | null;
            environment: components["schemas"]["Environment"];
            apiKeyId: string | null;
            /** @description Transaction of the most recently detected transfer. */
            txHash: string | null;
            externalRef: string | null;
            source: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            redirectUrl: string | null;
            checkoutUrl: string | null;
            splitRecipients: components["schemas"]["SplitRecipientView"][];
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
            confirmedAt: components["schemas"]["Timestamp"] | null;
            settledAt: components["schemas"]["Timestamp"] | null;
            lastActivityAt: components["schemas"]["Timestamp"];
            /** @description Null without escrow. An escrow is released or refunded once. */
            escrow: {
                releaserAddress: components["schemas"]["Address"];
                releasedAt: components["schemas"]["Timestamp"] | null;
                refundedAt: components["schemas"]["Timestamp"] | null;
                /** @description The action that the releaser ordered through the service, until the chain shows it with the required confirmations. Null again after that, or when the order ended without effect. */
                pendingAction: ("release" | "refund") | null;
            } | null;
            /** @description The last authorization that was accepted for the charge; null without authorization. */
            authorization?: {
                /**
                 * @description `signed`: in progress, so no other authorization may be signed; `mined`: in a block, and credited after the required confirmations like every payment; `canceled`, `reverted`, `lapsed`: ended without payment.
                 * @enum {string}
                 */
                state: "signed" | "mined" | "canceled" | "reverted" | "lapsed";
                /** @description The transaction that currently executes the payment. Another transaction might replace it. */
                txHash: string | null;
                network: components["schemas"]["Network"];
                token: components["schemas"]["Token"];
                payer: components["schemas"]["Address"];
            } | null;
            amountRefunded?: number;
            /** @description The sum of the confirmed refunds, never more than `amountReceivedExact`, unless a counted payment was removed later. */
            amountRefundedExact?: components["schemas"]["ExactAmount"];
            /** @description Open and confirmed refunds that you pay from your own wallet, oldest first. A refund of an escrow is in `escrow` instead. */
            refunds?: components["schemas"]["RefundSummary"][];
            /** @description The maximum of the next refund on each pair, without pairs on which nothing is left. Only in responses of `GET /v1/charges/{id}`, once the charge no longer waits for its payment. */
            refundable?: components["schemas"]["RefundableAmount"][];
        };
        /** @description The exact amounts that a charge received and paid out. `amount`, `feeAmount` and `merchantAmount` of the charge are computed from the requested amount instead. */
        ChargeAccounting: {
            /** @description Counted payments. With `uncredited`, it is the sum of all other figures except `walletRefunded`. */
            receivedExact: components["schemas"]["SignedAmount"];
            /** @description Paid to the merchant's own address. */
            netExact: components["schemas"]["SignedAmount"];
            /** @description Paid to the service. */
            feeExact: components["schemas"]["SignedAmount"];
            /** @description Paid to the distributors. If the merchant's own wallet distributed, that wallet received the incentive. */
            incentiveExact: components["schemas"]["SignedAmount"];
            /** @description Paid to split recipients. */
            otherSharesExact: components["schemas"]["SignedAmount"];
            /** @description In the split, because a recipient cannot be paid: shares of the merchant and of other recipients. */
            heldExact: components["schemas"]["SignedAmount"];
            /** @description Moved out of the escrow to an address other than the split. */
            escrowRefundedExact: components["schemas"]["SignedAmount"];
            /** @description Refunded by the merchant out of their own wallet. Not deducted from `net`. */
            walletRefundedExact: components["schemas"]["SignedAmount"];
            /** @description In the split or the escrow, not distributed yet. */
            pendingExact: components["schemas"]["SignedAmount"];
            /** @description Less than one unit of the token, which no split can pay out. Occurs on arc only. */
            roundingExact: components["schemas"]["SignedAmount"];
            /** @description Paid out by the split, or moved out of the escrow, although no counted payment covers it: someone sent it directly to the split of an escrow charge, or its payment is found later. */
            uncreditedExact: components["schemas"]["SignedAmount"];
            /** @description Returned to payers: the sum of `escrowRefundedExact` and `walletRefundedExact`. */
            refundedExact: components["schemas"]["SignedAmount"];
            pairs: components["schemas"]["PairAccounting"][];
        };
        ChargeEvent: components["schemas"]["EventBase"] & {
            /**
             * @description `charge.created`: A charge was created. `charge.partially_paid`: A payment was credited; the total is still below `amount`. `charge.confirmed`: The charge is paid in full, with the confirmations its network requires. The payout follows. `charge.expired`: The charge expired without a payment in time. `charge.underpaid`: The charge expired. The payments in time add up to less than `amount`. `charge.settled`: The payout has reached your wallet. `charge.settlement_failed`: The payout failed permanently. Anyone can still distribute the funds. `charge.overpaid`: The received total exceeds `amount`. Sent once, in addition to the other events. `charge.escrow_released`: The release that you ordered was executed. `charge.settled` follows. `charge.escrow_refunded`: The refund that you ordered was executed. `charge.refund_declared`: A refund was declared with one of your keys. No money moves before your wallet pays; compare the destination with the payer’s message. `charge.refund_claimed`: The payer of a refund gave an address. Compare it with their own message, then approve or reject it. Sent for each claim. `charge.refund_approved`: The payer’s address was approved with one of your keys. Your wallet can pay the refund; compare the destination with the payer’s message. `charge.refunded`: A refund that you paid from your wallet has the required confirmations. Sent for each refund; `refunds` lists them. `charge.refund_expired`: A refund was not paid within 30 days. Its amount is available for other refunds.
             * @enum {string}
             */
            event: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "charge.refund_declared" | "charge.refund_claimed" | "charge.refund_approved" | "charge.refunded" | "charge.refund_expired";
            data: components["schemas"]["Charge"];
        };
        /** @description Evidence of payments and distributions that can be verified without the service. */
        ChargeEvidence: components["schemas"]["EvidenceTransactionPage"] & {
            /** @description The terms, which name who is paid, and from which anyone can compute the address. */
            charge: {
                id: string;
                address: components["schemas"]["Address"];
                addressTerms: components["schemas"]["AddressTerms"];
            };
        };
        ChargePage: components["schemas"]["Page"] & {
            data: components["schemas"]["Charge"][];
        };
        /**
         * @description `pending`: no payment credited; `partially_paid`: less than `amount` credited; `confirmed`: paid in full; `expired`: no payment in time; `underpaid`: less than `amount` in time.
         * @enum {string}
         */
        ChargeStatus: "pending" | "partially_paid" | "confirmed" | "expired" | "underpaid";
        /** @description One transaction to check. Give both hash and network, or neither. */
        CheckHint: {
            txHash?: string;
            network?: components["schemas"]["Network"];
        };
        CheckRefund: {
            /** @description Hash of the transaction that contains the transfer. The service reads the transaction from the chain. */
            txHash?: string;
        };
        /** @description A charge with the findings of a check. */
        CheckedCharge: components["schemas"]["Charge"] & {
            transactionSender: components["schemas"]["Address"] | null;
            tokenSenders: components["schemas"]["Address"][];
            userOperationSenders: components["schemas"]["Address"][];
            confirmationProgress: components["schemas"]["ConfirmationProgress"] | null;
        };
        /** @description Confirmations of a detected transfer. */
        ConfirmationProgress: {
            network: components["schemas"]["Network"];
            blocksSeen: number;
            blocksRequired: number;
            percent: number;
        };
        /**
         * @example {
         *       "amount": 10,
         *       "expiresIn": 3600,
         *       "acceptedPayments": [
         *         {
         *           "token": "USDC",
         *           "network": "base"
         *         }
         *       ]
         *     }
         * @example {
         *       "amount": 25,
         *       "expiresIn": 3600,
         *       "acceptedPayments": [
         *         {
         *           "token": "USDT",
         *           "network": "tron"
         *         }
         *       ]
         *     }
         */
        CreateCharge: {
            /** @description Dollars. Digits after the sixth decimal place are cut off. The service may have a minimum for live charges. An amount below it returns `400 validation_error` with the minimum in the message. */
            amount: number;
            /**
             * @description With `payer` the fee is added on top, so that you net `amount`.
             * @default merchant
             * @enum {string}
             */
            feePayer?: "merchant" | "payer";
            /**
             * @default USD
             * @enum {string}
             */
            currency?: "USD";
            /** @description Pairs from `GET /v1/networks`, all of one family: TRON cannot be combined with EVM networks. */
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
            /** @description Seconds until the charge stops accepting payments. */
            expiresIn: number;
            /** @description Repeating the key with the same body returns the existing charge; with a different body or payout address, `409`. The header `Idempotency-Key` is an alternative. */
            idempotencyKey?: string;
            /** @description Your reference, such as an order number. Returned unchanged. */
            externalRef?: string;
            /** @description Your own label. Returned unchanged. */
            source?: string;
            /** @description Your own keys and values, returned unchanged: at most 16 KiB of text without `service`. */
            metadata?: {
                /** @description Reserved for products shown on the hosted checkout. Never compared with `amount`. */
                service?: {
                    products?: {
                        name: string;
                        quantity?: number;
                        /** @description Fetched by the payer's browser only. Its host must be public. */
                        imageUrl?: string;
                    }[];
                };
            } & {
                [key: string]: unknown;
            };
            /** @description URL to which the checkout sends the payer: http or https, without credentials. */
            redirectUrl?: string;
            /** @description Further payees. Their percentages may add up to at most `100 - feePercent`. */
            splitRecipients?: components["schemas"]["SplitRecipientInput"][];
            /** @description Holds the payments in a Safe owned by the releaser until they release or refund them. EVM networks only. */
            escrow?: {
                /** @description Account that may release or refund; by default the API key's payout address. Cannot be changed later. */
                releaserAddress?: string;
            };
        };
        /**
         * @example {
         *       "amount": "5.25",
         *       "destination": {
         *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
         *       },
         *       "reason": "requested_by_customer",
         *       "idempotencyKey": "refund-of-order-1001"
         *     }
         */
        CreateRefund: {
            /** @description An exact decimal, as text, in the token that was paid; `all` for everything that is left; `overpayment` for the part above the charge’s `amount`. More fractional digits than the token has are rejected. */
            amount: string;
            token?: components["schemas"]["Token"];
            network?: components["schemas"]["Network"];
            /** @description The wallet that will pay, a recipient with `payout`. Default: the payout address of the charge. A transfer from any other wallet does not count. */
            from?: string;
            /** @description Either `address` or `claim`. */
            destination: {
                /** @description The address that the payer gave you. The sender of the payment may be an exchange, which cannot credit a refund to the payer. */
                address?: string;
                /**
                 * @description The payer names the address, on the page at `claimUrl` in the response. You approve the address.
                 * @constant
                 */
                claim?: true;
            };
            reason?: components["schemas"]["RefundReason"];
            /** @description Repeating the key with the same body returns the existing refund; with a different body, `409`. */
            idempotencyKey: string;
        };
        /**
         * @example {
         *       "url": "https://example.com/hook",
         *       "eventCategories": [
         *         "payments"
         *       ]
         *     }
         */
        CreateWebhook: {
            /** @description A public https URL without credentials, at most 2048 characters. */
            url: string;
            /** @description Names of events, or `*`. This field or `eventCategories` must have an entry. */
            events?: components["schemas"]["WebhookEventTypeOrAll"][];
            eventCategories?: components["schemas"]["WebhookEventCategory"][];
            /** @description Events that are never sent, even if the other fields include them. */
            excludeEvents?: components["schemas"]["WebhookEventType"][];
        };
        Delivery: {
            id: string;
            event: components["schemas"]["ReceivedEventType"];
            /** @description The `id` in the body of the delivery. Null only in the response to a test request, whose event is created later. */
            eventId: string | null;
            /** @description Null for `webhook.*` events. */
            chargeId: string | null;
            status: components["schemas"]["DeliveryStatus"];
            attempts: number;
            /** @description HTTP status of the last response to any attempt; null if there was no response. */
            responseCode: number | null;
            createdAt: components["schemas"]["Timestamp"];
            nextRetryAt: components["schemas"]["Timestamp"] | null;
            deliveredAt: components["schemas"]["Timestamp"] | null;
        };
        DeliveryPage: components["schemas"]["Page"] & {
            data: components["schemas"]["Delivery"][];
        };
        /** @enum {string} */
        DeliveryStatus: "pending" | "delivered" | "failed";
        DistributionChange: {
            /** @enum {string} */
            type: "distribution.available";
            distribution: components["schemas"]["PendingDistribution"];
        } | {
            /** @enum {string} */
            type: "distribution.claimed";
            splitAddress: components["schemas"]["Address"];
            network: components["schemas"]["Network"];
            token: components["schemas"]["Token"];
        };
        Eip712Field: {
            name: string;
            type: string;
        };
        EndpointEvent: components["schemas"]["EventBase"] & {
            /**
             * @description `webhook.delivery_failed`: A delivery failed after five attempts. `webhook.delivery_recovered`: A delivery succeeded for the first time since the endpoint became unhealthy. `webhook.test`: You requested a test delivery.
             * @enum {string}
             */
            event: "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.test";
            data: components["schemas"]["EndpointFacts"];
        };
        EndpointFacts: {
            webhookId: string;
            url: string;
        };
        EndpointHealthEvent: components["schemas"]["EventBase"] & {
            /**
             * @description `webhook.endpoint_unhealthy`: More than a fifth of the attempts in 24 hours failed.
             * @enum {string}
             */
            event: "webhook.endpoint_unhealthy";
            data: components["schemas"]["EndpointHealthFacts"];
        };
        EndpointHealthFacts: components["schemas"]["EndpointFacts"] & {
            /** @description Share of the attempts that failed, among the attempts that finished in the last 24 hours. */
            failureRatio: number;
        };
        /**
         * @description Determined by the API key: `svc_live_…` or `svc_test_…`.
         * @enum {string}
         */
        Environment: "live" | "test";
        /** @description Body of every error response. */
        Error: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description For developers. The text may change. */
                message: string;
                /** @description The invalid field, such as `acceptedPayments[1].token`. */
                param?: string;
            };
        };
        /**
         * @description Stable, for use by programs. New codes may be added.
         * @enum {string}
         */
        ErrorCode: "validation_error" | "escrow_invalid_signature" | "authorization_invalid" | "invalid_amount" | "invalid_webhook_url" | "insecure_webhook_url" | "unresolvable_webhook_url" | "unsafe_webhook_url" | "missing_api_key" | "invalid_api_key" | "payout_address_revoked" | "payment_required" | "insufficient_scope" | "conflicting_api_key_scopes" | "forbidden" | "not_found" | "charge_not_found" | "recipient_not_found" | "webhook_not_found" | "delivery_not_found" | "refund_not_found" | "method_not_allowed" | "idempotency_key_reused" | "charge_not_payable" | "escrow_already_released" | "escrow_already_refunded" | "request_in_progress" | "payment_in_progress" | "authorization_used" | "charge_still_open" | "refund_ambiguous" | "refund_already_seen" | "refund_not_claimable" | "refund_not_awaiting_approval" | "refund_address_mismatch" | "payload_too_large" | "unsupported_media_type" | "payout_address_missing" | "token_not_supported" | "recipient_not_found_in_split" | "split_recipients_exceed_available_percent" | "split_recipient_is_treasury_address" | "split_recipient_is_payout_address" | "recipient_transfer_restricted" | "payment_pair_required" | "payment_pair_not_accepted" | "environment_mismatch" | "swap_test_environment_unsupported" | "escrow_not_enabled" | "escrow_empty" | "escrow_multiple_payment_pairs" | "escrow_safe_mismatch" | "escrow_not_released" | "nothing_received" | "refund_exceeds_received" | "refund_limit_reached" | "destination_not_allowed" | "insufficient_balance" | "webhook_limit_reached" | "invalid_trigger_state" | "query_too_expensive" | "entry_not_in_range" | "rate_limited" | "internal_error" | "rpc_unavailable" | "payment_temporarily_unavailable" | "signature_payment_unavailable" | "swap_unavailable" | "swap_quote_failed" | "sse_capacity" | "service_unavailable";
        /** @description The credited transfer whose sender receives a refund: its transaction, its amount in the token’s units and the time of its block. */
        EscrowDestinationFrom: {
            /** @description Null for a sandbox payment, which has no transaction. */
            txHash: string | null;
            amount: components["schemas"]["IntegerText"];
            at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
         *       "amount": "10000000"
         *     }
         */
        EscrowOrder: {
            /** @description The releaser's signature of the prepared `typedData`. */
            signature: string;
            /** @description The prepared and signed `amount` in the token’s units; by default the live balance. Accepted if it is at most the balance and the difference is below 1 % of the charge’s `amount`, so that a cent that arrives after the signing does not void the signature. */
            amount?: string;
        };
        /** @description The transaction for the releaser to sign, valid for one amount and one nonce. */
        EscrowSigningTransaction: {
            destination: components["schemas"]["Address"];
            /** @description Null for a release, whose destination is the `splitAddress` in the charge’s `addressTerms`. */
            destinationFrom: components["schemas"]["EscrowDestinationFrom"] | null;
            tokenAddress: components["schemas"]["Address"];
            amount: components["schemas"]["IntegerText"];
            chainId: number;
            safeAddress: components["schemas"]["Address"];
            nonce: components["schemas"]["IntegerText"];
            typedData: {
                types: {
                    EIP712Domain: components["schemas"]["Eip712Field"][];
                    SafeTx: components["schemas"]["Eip712Field"][];
                };
                /** @enum {string} */
                primaryType: "SafeTx";
                domain: {
                    /** @description A number, because viem omits a string if `types` has no `EIP712Domain`. */
                    chainId: number;
                    verifyingContract: components["schemas"]["Address"];
                };
                message: {
                    to: components["schemas"]["Address"];
                    value: components["schemas"]["IntegerText"];
                    data: components["schemas"]["HexData"];
                    operation: components["schemas"]["IntegerText"];
                    safeTxGas: components["schemas"]["IntegerText"];
                    baseGas: components["schemas"]["IntegerText"];
                    gasPrice: components["schemas"]["IntegerText"];
                    gasToken: components["schemas"]["Address"];
                    refundReceiver: components["schemas"]["Address"];
                    nonce: components["schemas"]["IntegerText"];
                };
            };
            safeTxHash: components["schemas"]["Bytes32"];
        };
        EventBase: {
            /** @description The same in every attempt. Skip ids that you have already processed. */
            id: string;
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description A log that counted for the charge. */
        EvidenceLog: {
            /**
             * @description `credit`: a transfer to the charge's address; the party is the sender; `distribution`: the split paid its balance to the recipients of the terms; the party is the distributor; `held`: the split keeps a share, because the recipient could not be paid; the party is the recipient; `released`: the split paid a kept share; the party is the recipient; `escrow_release`: a transfer out of the escrow to the split; the party is the split; `escrow_refund`: a transfer out of the escrow to another account; the party is that account.
             * @enum {string}
             */
            kind: "credit" | "distribution" | "held" | "released" | "escrow_release" | "escrow_refund";
            /** @description Index of the log among the logs of its receipt, from 0; null without a proof. */
            position: number | null;
            token: components["schemas"]["Token"];
            tokenAddress: components["schemas"]["Address"];
            party: components["schemas"]["Address"];
            /** @description The amount in the log. On arc, transfers are logged with 18 decimals, and distributions with 6. */
            amountAtomic: components["schemas"]["IntegerText"];
            countedAt: components["schemas"]["Timestamp"];
            /** @description When a quorum of nodes showed the log. Reported by the service; not part of the proof. */
            agreedAt: components["schemas"]["Timestamp"] | null;
            /** @description The operators of the nodes that showed the log: a name, or a number if the operator has only an address; `a single trusted node` if the service trusted one node at the time. Reported by the service; not part of the proof. */
            agreedBy: string[];
        };
        /** @description A transaction that paid the charge or distributed its money. */
        EvidenceTransaction: {
            network: components["schemas"]["Network"];
            chainId: number;
            /** @description For look-up only: a receipt does not contain the hash of its transaction. */
            txHash: string;
            block: {
                number: number;
                hash: components["schemas"]["Bytes32"];
                time: components["schemas"]["Timestamp"];
            };
            logs: components["schemas"]["EvidenceLog"][];
            /** @description Number of further logs of the transaction that counted: at most 500 are listed. */
            logsOmitted: number;
            proof: components["schemas"]["ReceiptProof"] | null;
            reason: ("not_committed" | "block_not_served" | "unknown_header" | "unknown_receipts" | "too_large" | "dust" | "pending") | null;
        };
        EvidenceTransactionPage: components["schemas"]["Page"] & {
            data: components["schemas"]["EvidenceTransaction"][];
        };
        /**
         * @description A decimal without exponent, sign or trailing zeros. Use it for calculations.
         * @example 10.5
         */
        ExactAmount: string;
        Health: {
            /** @enum {string} */
            status: "ok" | "error";
            version: string;
            timestamp: components["schemas"]["Timestamp"];
            /** @enum {string} */
            db: "ok" | "error";
            /** @description Deliveries that have not succeeded yet. */
            pendingWebhooks: number;
            oldestPendingChargeAgeSeconds: number | null;
            lastContractWatcherEventAgeSeconds: number | null;
        };
        HexData: string;
        /** @description An integer, as text. */
        IntegerText: string;
        ListenReady: {
            /** @description Secret of this connection. No webhook uses it. */
            secret: string;
        };
        /** @description Without an alias the column is named `count` or `<aggregation>_<field>`. For money there is also `<alias>Exact`. */
        Metric: {
            /**
             * @description Percentiles are values of the data, never interpolated. Averages are rounded to 18 fractional digits.
             * @enum {string}
             */
            aggregation: "count" | "sum" | "avg" | "min" | "max" | "countDistinct" | "p50" | "p90" | "p99";
            field?: components["schemas"]["MetricsField"];
            /** @description A column of the response. */
            alias?: string;
        };
        MetricsAnswer: {
            data: components["schemas"]["MetricsRow"][];
            meta: components["schemas"]["MetricsMeta"];
        };
        /** @description `from` is inclusive, `to` is exclusive. At most 366 days, or 3660 days with buckets of a month, quarter or year. */
        MetricsDateRange: {
            field: components["schemas"]["MetricsField"];
            /** @description ISO 8601. */
            from: string;
            /** @description ISO 8601. */
            to: string;
        };
        /**
         * @description Fields of charges: status, settlementStatus, source, apiKeyId, currency, isOverpaid, externalRef, feePayer, escrowReleaserAddress, amount, amountReceived, feePercent, feeAmount, merchantAmount, merchantReceived, feeCharged, escrowFeePercent, createdAt, confirmedAt, settledAt, lastActivityAt, expiresAt, escrowReleasedAt. Fields of transactions: network, token, source, causedTransition, amount, detectedAt. Fields of distributions: status, network, token, distributorAddress, amount, attempts, createdAt, processingStartedAt, completedAt.
         * @enum {string}
         */
        MetricsField: "status" | "settlementStatus" | "source" | "apiKeyId" | "currency" | "isOverpaid" | "externalRef" | "feePayer" | "escrowReleaserAddress" | "amount" | "amountReceived" | "feePercent" | "feeAmount" | "merchantAmount" | "merchantReceived" | "feeCharged" | "escrowFeePercent" | "createdAt" | "confirmedAt" | "settledAt" | "lastActivityAt" | "expiresAt" | "escrowReleasedAt" | "network" | "token" | "causedTransition" | "detectedAt" | "distributorAddress" | "attempts" | "processingStartedAt" | "completedAt";
        MetricsFilter: {
            field: components["schemas"]["MetricsField"];
            /** @enum {string} */
            operator: "eq" | "neq" | "in" | "gt" | "gte" | "lt" | "lte";
            /** @description An array with `in`, otherwise one value. Null is allowed only with `eq` and `neq`. */
            value: string | number | boolean | null | (string | number | boolean)[];
        };
        MetricsGroupBy: {
            /** @enum {string} */
            type: "date_bucket" | "field";
            field: components["schemas"]["MetricsField"];
            /**
             * @description Required for a date_bucket. Buckets are in UTC, and weeks start on Monday.
             * @enum {string}
             */
            granularity?: "hour" | "day" | "week" | "month" | "quarter" | "year";
        };
        MetricsMeta: {
            resource: components["schemas"]["MetricsResource"];
            environment: components["schemas"]["Environment"];
            rowCount: number;
            /** @description Whether there were more rows than `limit`. */
            truncated: boolean;
        };
        MetricsOrderBy: {
            /** @description A column of the response. */
            key: string;
            /**
             * @default asc
             * @enum {string}
             */
            direction?: "asc" | "desc";
        };
        /**
         * @example {
         *       "resource": "charges",
         *       "dateRange": {
         *         "field": "createdAt",
         *         "from": "2026-07-01T00:00:00Z",
         *         "to": "2026-08-01T00:00:00Z"
         *       },
         *       "groupBy": [
         *         {
         *           "type": "date_bucket",
         *           "field": "createdAt",
         *           "granularity": "day"
         *         }
         *       ],
         *       "metrics": [
         *         {
         *           "aggregation": "sum",
         *           "field": "amountReceived",
         *           "alias": "volume"
         *         },
         *         {
         *           "aggregation": "count"
         *         }
         *       ],
         *       "filters": [
         *         {
         *           "field": "status",
         *           "operator": "in",
         *           "value": [
         *             "confirmed"
         *           ]
         *         }
         *       ]
         *     }
         */
        MetricsQuery: {
            resource: components["schemas"]["MetricsResource"];
            environment?: components["schemas"]["Environment"];
            dateRange: components["schemas"]["MetricsDateRange"];
            groupBy?: components["schemas"]["MetricsGroupBy"][];
            metrics: components["schemas"]["Metric"][];
            filters?: components["schemas"]["MetricsFilter"][];
            orderBy?: components["schemas"]["MetricsOrderBy"];
            /** @default 100 */
            limit?: number;
            /**
             * @description Whether to return buckets without rows, too.
             * @default false
             */
            fill?: boolean;
        };
        /**
         * @description The rows to aggregate.
         * @enum {string}
         */
        MetricsResource: "charges" | "transactions" | "distributions";
        /** @description One value per group and metric, and the exact text of money as `<alias>Exact`. */
        MetricsRow: {
            [key: string]: string | number | boolean | null;
        };
        /**
         * @description A blockchain on which payments are received.
         * @enum {string}
         */
        Network: "base" | "optimism" | "polygon" | "ethereum" | "arbitrum" | "avalanche" | "bnb" | "tron" | "arc";
        /** @description OpenAPI 3.1. */
        OpenApiDocument: {
            openapi: string;
            info: Record<string, never>;
            paths: Record<string, never>;
        } & {
            [key: string]: unknown;
        };
        Page: {
            /** @description Pass it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
            hasMore: boolean;
        };
        /** @description The books of a charge in one token on one network. */
        PairAccounting: {
            network: components["schemas"]["Network"];
            token: components["schemas"]["Token"];
            /** @description Decimals of the atomic amounts here: the token's, or 18 if an amount on arc is not a whole number of units. */
            decimals: number;
            tokenAddress: components["schemas"]["Address"] | null;
            /** @description Whether the payments were simulated by the sandbox and are on no chain. */
            simulated: boolean;
            /** @description Counted payments. With `uncredited`, it is the sum of all other figures except `walletRefunded`. */
            receivedAtomic: components["schemas"]["AtomicAmount"];
            /** @description Paid to the merchant's own address. */
            netAtomic: components["schemas"]["AtomicAmount"];
            /** @description Paid to the service. */
            feeAtomic: components["schemas"]["AtomicAmount"];
            /** @description Paid to the distributors. If the merchant's own wallet distributed, that wallet received the incentive. */
            incentiveAtomic: components["schemas"]["AtomicAmount"];
            /** @description Paid to split recipients. */
            otherSharesAtomic: components["schemas"]["AtomicAmount"];
            /** @description In the split, because a recipient cannot be paid: shares of the merchant and of other recipients. */
            heldAtomic: components["schemas"]["AtomicAmount"];
            /** @description Moved out of the escrow to an address other than the split. */
            escrowRefundedAtomic: components["schemas"]["AtomicAmount"];
            /** @description Refunded by the merchant out of their own wallet. Not deducted from `net`. */
            walletRefundedAtomic: components["schemas"]["AtomicAmount"];
            /** @description In the split or the escrow, not distributed yet. */
            pendingAtomic: components["schemas"]["AtomicAmount"];
            /** @description Less than one unit of the token, which no split can pay out. Occurs on arc only. */
            roundingAtomic: components["schemas"]["AtomicAmount"];
            /** @description Paid out by the split, or moved out of the escrow, although no counted payment covers it: someone sent it directly to the split of an escrow charge, or its payment is found later. */
            uncreditedAtomic: components["schemas"]["AtomicAmount"];
            /** @description Distributed by the split, including incentives and held shares. */
            distributedAtomic: components["schemas"]["AtomicAmount"];
            shares: components["schemas"]["AccountingShare"][];
            /** @description Senders of the listed payments. Not identities: an exchange sends for many customers. */
            payers: components["schemas"]["Address"][];
            payments: components["schemas"]["AccountingPayment"][];
            payouts: components["schemas"]["AccountingPayout"][];
        };
        PaymentOption: {
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            /** @enum {string} */
            family: "evm" | "tron";
            chainId: number;
            contract: components["schemas"]["Address"];
            /** @description Decimals of the token on this network. They differ: USDT has 18 on bnb and 6 on the other networks. */
            decimals: number;
            /** @description Amount to send now in the smallest unit of the token, rounded up. Null if no payment may be requested on this pair. */
            dueAtomic: string | null;
            /** @description `dueAtomic` as an exact decimal. */
            dueExact: components["schemas"]["ExactAmount"] | null;
        };
        /** @description A distribution that anyone may execute now, for its incentive. */
        PendingDistribution: {
            splitAddress: components["schemas"]["Address"];
            network: components["schemas"]["Network"];
            token: components["schemas"]["Token"];
            recipients: {
                address: components["schemas"]["Address"];
                /** @description 1.5 is 1.5 %. */
                percentAllocation: number;
            }[];
            /** @description 1.5 is 1.5 %. */
            distributorFeePercent: number;
            /** @description Estimate in dollars from the credited amounts, not from a live balance. */
            estimatedRewardAmount: number;
            availableSince: components["schemas"]["Timestamp"];
            graceEndsAt: components["schemas"]["Timestamp"];
            chainId: number;
            tokenAddress: components["schemas"]["Address"];
            factoryAddress: components["schemas"]["Address"];
            salt: components["schemas"]["Bytes32"];
            deployed: boolean;
            /** @description The complete transaction except for the distributor's address. */
            call: {
                to: components["schemas"]["Address"];
                data: string;
                /** @description Position of the distributor's address in `data`, in bytes: write the 20 bytes of your address there. On TRON omit the first byte of the address. */
                distributorOffset: number;
                /** @description Only on TRON: maximum cost of the energy in sun. The used energy is paid in any case. */
                feeLimit?: string;
            };
        };
        PendingDistributionPage: components["schemas"]["Page"] & {
            data: components["schemas"]["PendingDistribution"][];
        };
        /** @description The authorizations for the current amount due. The payer must sign only one of them. */
        PreparedAuthorizations: {
            authorizations: {
                token: components["schemas"]["Token"];
                network: components["schemas"]["Network"];
                tokenAddress: components["schemas"]["Address"];
                typedData: {
                    types: {
                        EIP712Domain: components["schemas"]["Eip712Field"][];
                        TransferWithAuthorization: components["schemas"]["Eip712Field"][];
                    };
                    /** @enum {string} */
                    primaryType: "TransferWithAuthorization";
                    domain: {
                        name: string;
                        version: string;
                        chainId: number;
                        verifyingContract: components["schemas"]["Address"];
                    };
                    message: {
                        from: components["schemas"]["Address"];
                        to: components["schemas"]["Address"];
                        value: components["schemas"]["IntegerText"];
                        validAfter: components["schemas"]["IntegerText"];
                        validBefore: components["schemas"]["IntegerText"];
                        nonce: components["schemas"]["Bytes32"];
                    };
                };
            }[];
        };
        /** @description Proves the receipt and its logs to anyone who knows the hash of the block. */
        ReceiptProof: {
            /** @description The header of the block in RLP. Its keccak256 is the hash of the block. */
            header: components["schemas"]["HexData"];
            transactionIndex: number;
            /** @description The nodes of the block's receipts trie from the root, whose keccak256 is the header's `receiptsRoot` (field 5, from 0), to the leaf at the RLP of `transactionIndex`, which contains the receipt. */
            receiptNodes: components["schemas"]["HexData"][];
        };
        /** @enum {string} */
        ReceivedEventType: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "charge.refund_declared" | "charge.refund_claimed" | "charge.refund_approved" | "charge.refunded" | "charge.refund_expired" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "webhook.test";
        /** @description A wallet that charges may pay in addition to the merchant. */
        Recipient: {
            id: string;
            environment: components["schemas"]["Environment"];
            address: components["schemas"]["Address"];
            label?: string;
            /** @description Whether it may be an API key's payout address. */
            payout: boolean;
            createdAt: components["schemas"]["Timestamp"];
        };
        RecipientPage: components["schemas"]["Page"] & {
            data: components["schemas"]["Recipient"][];
        };
        /** @description Every available EVM pair; empty for a TRON address. */
        RecipientTransferability: {
            recipientId: string;
            address: components["schemas"]["Address"];
            pairs: {
                token: components["schemas"]["Token"];
                network: components["schemas"]["Network"];
                receive: components["schemas"]["TransferStatus"];
                send: components["schemas"]["TransferStatus"];
            }[];
        };
        /** @description Money that you return to a payer from your own wallet. The service prepares the transfer and recognizes it on the chain. */
        Refund: {
            id: string;
            chargeId: string;
            status: components["schemas"]["RefundStatus"];
            amount: number;
            amountExact: components["schemas"]["ExactAmount"];
            /** @description The amount in the token’s smallest unit (see `decimals`). */
            amountAtomic: components["schemas"]["IntegerText"];
            /** @description Decimals of the token; 18 for a simulated payment. */
            decimals: number;
            /** @description The part that counts as refunded; null until the refund is confirmed. Less than the amount if the charge had less left to refund: you paid a refund that had ended, or a counted payment was removed. */
            amountCountedExact: components["schemas"]["ExactAmount"] | null;
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            /** @description Whether the payment was simulated by the sandbox and is on no chain. */
            simulated: boolean;
            /** @description The wallet that must send the transfer. */
            from: components["schemas"]["Address"];
            /** @description Null until you have approved the payer’s address. */
            destination: components["schemas"]["Address"] | null;
            /** @description Null until the payer gives an address, after you reject it, and if you named the address. */
            claim: components["schemas"]["RefundClaim"] | null;
            reason: components["schemas"]["RefundReason"];
            /** @description Null unless the refund awaits its payment, and for a simulated payment. */
            payment: components["schemas"]["RefundPayment"] | null;
            txHash: string | null;
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
            confirmedAt: components["schemas"]["Timestamp"] | null;
        };
        /** @description The address that the payer gave. You must approve it. */
        RefundClaim: {
            address: components["schemas"]["Address"];
            /** @description An account that had sent at least the amount on this pair before the declaration, if it signed the claim. Compare it with the sender of the payment that you return. Null: anyone with the link may have given the address. */
            signer: components["schemas"]["Address"] | null;
            claimedAt: components["schemas"]["Timestamp"];
        };
        RefundList: components["schemas"]["Refund"][];
        /** @description The transfer for your wallet to send. Before you sign, compare destination and amount with your own values. */
        RefundPayment: {
            chainId: number;
            /** @description The contract of the token. */
            to: components["schemas"]["Address"];
            data: components["schemas"]["HexData"];
            value: components["schemas"]["IntegerText"];
            /** @description The same transfer as a payment URI, for a QR code. */
            uri: string;
        };
        /**
         * @description Your reason, for your own records.
         * @enum {string}
         */
        RefundReason: "requested_by_customer" | "duplicate" | "overpayment" | "underpayment" | "late_payment" | "other";
        /**
         * @description `awaiting_destination`: the payer has not given an address; `awaiting_approval`: the payer has given an address, and you must approve it; `awaiting_payment`: waits for the transfer from your wallet; `seen`: the transfer is in a block; `confirmed`: it has the required confirmations, final; `canceled`, `expired`: ended, but `confirmed` later if you pay nevertheless.
         * @enum {string}
         */
        RefundStatus: "awaiting_destination" | "awaiting_approval" | "awaiting_payment" | "seen" | "confirmed" | "canceled" | "expired";
        /** @description A refund of a charge. */
        RefundSummary: {
            id: string;
            status: components["schemas"]["RefundStatus"];
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            amount: number;
            amountExact: components["schemas"]["ExactAmount"];
            /** @description Null until you have approved the payer’s address. */
            destination: components["schemas"]["Address"] | null;
            txHash: string | null;
        };
        RefundWithLink: components["schemas"]["Refund"] & {
            /** @description The page on which the payer gives an address. Send it to the payer only: it is a secret, and it is shown only in this response. Null without a link and for a repeated request; `claim-link` creates a new link. */
            claimUrl: string | null;
        };
        RefundableAmount: {
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            amount: number;
            amountExact: components["schemas"]["ExactAmount"];
        };
        /**
         * @example {
         *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "label": "Partner"
         *     }
         */
        RegisterRecipient: {
            /** @description An EVM (0x…) or TRON (T…) wallet. */
            address: string;
            /** @description Label for your own use. */
            label?: string;
        };
        /**
         * @example {
         *       "inputToken": "ETH",
         *       "inputNetwork": "base",
         *       "takerAddress": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
         *     }
         */
        RequestQuote: {
            inputToken: components["schemas"]["SwapAsset"];
            inputNetwork: components["schemas"]["Network"];
            takerAddress: string;
        };
        /**
         * @example {
         *       "expireOldNow": false
         *     }
         */
        RotateSecret: {
            /**
             * @description Whether the old secret expires immediately. Otherwise it also signs for 24 hours.
             * @default false
             */
            expireOldNow?: boolean;
        };
        /**
         * @description The event to trigger. `charge.refund_claimed` gives an address to the oldest simulated refund that waits for one, and `charge.refunded` confirms the oldest simulated refund that waits for its transfer.
         * @enum {string}
         */
        SandboxEvent: "charge.confirmed" | "charge.partially_paid" | "charge.overpaid" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.refund_claimed" | "charge.refunded";
        /**
         * @example {
         *       "event": "charge.confirmed"
         *     }
         */
        SandboxTrigger: {
            event: components["schemas"]["SandboxEvent"];
            /** @description Amount of the simulated payment. Default: the amount due (`charge.confirmed`), half of the charge (`charge.partially_paid`), or the rest up to one and a half times the charge (`charge.overpaid`). Not allowed for other events. */
            amount?: number;
            token?: components["schemas"]["Token"];
            network?: components["schemas"]["Network"];
            /**
             * @description Sender of the simulated payment, who receives a refund of the escrow. Default: the releaser of the escrow.
             * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
             */
            from?: string;
        };
        /**
         * @example {
         *       "payout": true
         *     }
         */
        SetRecipientPayout: {
            payout: boolean;
        };
        /**
         * @description Whether the merchant has been paid out.
         * @enum {string}
         */
        SettlementStatus: "pending" | "completed" | "failed";
        /**
         * @description A decimal without exponent or trailing zeros, and with a sign if it is negative.
         * @example 54.450001
         */
        SignedAmount: string;
        /**
         * @example {
         *       "token": "USDC",
         *       "network": "base",
         *       "from": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
         *       "value": "10000000",
         *       "validAfter": "0",
         *       "validBefore": "1795262400",
         *       "nonce": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
         *       "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b"
         *     }
         */
        SignedAuthorization: {
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            /** @description Address of the payer. */
            from: string;
            /** @description The whole prepared amount, in the token's smallest units. */
            value: string;
            /** @description Unix seconds. */
            validAfter: string;
            /** @description Unix seconds: at most 15 minutes from now, and not after `expiresAt`. */
            validBefore: string;
            /** @description 32 bytes in hex. */
            nonce: string;
            /** @description The signature of a plain account has 65 bytes, with v 27 or 28. The signature of a contract has the form that its `isValidSignature` accepts. */
            signature: string;
        };
        SplitRecipientInput: {
            /** @description Id of a registered recipient, `rc_…`. */
            recipientId: string;
            /** @description Share of the merchant's net amount, not of `amount`. Up to 20 fractional digits. */
            percent: number;
            label?: string;
        };
        SplitRecipientView: {
            address: components["schemas"]["Address"];
            /** @description Share of the merchant's net amount, as given in the request. */
            percent: number;
            label?: string;
        };
        SwapAlternative: {
            token: components["schemas"]["SwapAsset"];
            network: components["schemas"]["Network"];
        };
        /**
         * @description An asset that can be swapped into a stablecoin.
         * @enum {string}
         */
        SwapAsset: "ETH" | "BNB" | "POL" | "AVAX" | "BTC" | "LINK" | "ARB" | "OP" | "CBETH";
        /** @description In units of the output token. Already included in `inputAmount`. */
        SwapFees: {
            serviceFee: number;
            providerFee: number | null;
            serviceFeeExact?: components["schemas"]["ExactAmount"] | null;
            providerFeeExact?: components["schemas"]["ExactAmount"] | null;
        };
        /** @description For an ERC-20 input: sign `eip712` as typed data. Append the length of the signature as 32 bytes to `transaction.data`, then the signature. */
        SwapPermit: {
            /** @enum {string} */
            type: "Permit2";
            hash: components["schemas"]["Bytes32"];
            eip712: {
                domain: {
                    name: string;
                    chainId: number;
                    verifyingContract: components["schemas"]["Address"];
                };
                types: {
                    EIP712Domain: components["schemas"]["Eip712Field"][];
                    PermitTransferFrom: components["schemas"]["Eip712Field"][];
                    TokenPermissions: components["schemas"]["Eip712Field"][];
                };
                /** @enum {string} */
                primaryType: "PermitTransferFrom";
                message: {
                    permitted: {
                        token: components["schemas"]["Address"];
                        amount: string;
                    };
                    spender: components["schemas"]["Address"];
                    nonce: string;
                    deadline: string;
                };
            };
        };
        SwapQuote: {
            inputToken: components["schemas"]["SwapAsset"];
            inputNetwork: components["schemas"]["Network"];
            /** @description Maximum cost. The same transaction returns the unused part. */
            inputAmount: number;
            inputAmountExact?: components["schemas"]["ExactAmount"];
            outputToken: components["schemas"]["Token"];
            outputNetwork: components["schemas"]["Network"];
            /** @description Amount that the charge receives: the amount due, rounded up to the token’s smallest unit. */
            outputAmount: number;
            outputAmountExact?: components["schemas"]["ExactAmount"];
            fees: components["schemas"]["SwapFees"];
            transaction: components["schemas"]["SwapTransaction"];
            /** @description Null for the native coin. */
            permit2: components["schemas"]["SwapPermit"] | null;
            /** @description The contract that the payer must allow to spend the input token, once for all swaps; null for the native coin. */
            allowanceTarget: components["schemas"]["Address"] | null;
            expiresAt: components["schemas"]["Timestamp"];
        };
        /** @description The transaction that the wallet of `takerAddress` sends. */
        SwapTransaction: {
            to: components["schemas"]["Address"];
            data: components["schemas"]["HexData"];
            /** @description Amount of the native coin in wei, as a decimal string; "0" for an ERC-20 input. */
            value: string;
            gas?: string;
        };
        Timeline: components["schemas"]["TimelineEvent"][];
        /** @description One thing that happened to a charge. */
        TimelineEvent: {
            /** @enum {string} */
            type: "charge.created" | "charge.expired";
            at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            type: "transaction.detected";
            at: components["schemas"]["Timestamp"];
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            txHash: string | null;
            amount: number;
            amountExact: components["schemas"]["ExactAmount"];
            /** @enum {string} */
            source: "contract_watcher" | "tron_watcher" | "reconciliation_job" | "sandbox";
            causedTransition: boolean;
            creditedAt: components["schemas"]["Timestamp"] | null;
            refusal: ("pair_not_accepted" | "own_money") | null;
            doubt: ("denied" | "struck") | null;
            struckAt: components["schemas"]["Timestamp"] | null;
        } | {
            /** @enum {string} */
            type: "split.distributed";
            at: components["schemas"]["Timestamp"];
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            txHash: string;
            amount: number;
            amountExact: components["schemas"]["ExactAmount"];
            held: {
                address: components["schemas"]["Address"];
                amount: number;
                amountExact: components["schemas"]["ExactAmount"];
                releasedAt: components["schemas"]["Timestamp"] | null;
            }[];
            doubt: ("denied" | "struck") | null;
            struckAt: components["schemas"]["Timestamp"] | null;
        } | {
            /** @enum {string} */
            type: "refund.declared" | "refund.claimed" | "refund.approved" | "refund.rejected" | "refund.seen" | "refund.confirmed" | "refund.canceled" | "refund.expired";
            at: components["schemas"]["Timestamp"];
            refundId: string;
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
            txHash: string | null;
            amount: number;
            amountExact: components["schemas"]["ExactAmount"];
        } | {
            /** @enum {string} */
            type: "webhook.dispatched" | "webhook.delivered" | "webhook.failed";
            at: components["schemas"]["Timestamp"];
            webhookId: string;
            deliveryId: string;
        };
        /**
         * @description ISO 8601 in UTC, with milliseconds.
         * @example 2026-11-21T12:00:00.000Z
         */
        Timestamp: string;
        /**
         * @description A stablecoin.
         * @enum {string}
         */
        Token: "USDC" | "USDT";
        /**
         * @description The token issuer's restriction, as reported by a quorum of nodes. `unknown`: too few responses, or no agreement.
         * @enum {string}
         */
        TransferStatus: "allowed" | "restricted" | "unknown";
        /**
         * @example {
         *       "url": "https://example.com/new-hook"
         *     }
         * @example {
         *       "events": [
         *         "charge.confirmed"
         *       ],
         *       "eventCategories": []
         *     }
         */
        UpdateWebhook: {
            /** @description A public https URL without credentials, at most 2048 characters. */
            url?: string;
            /** @description Names of events, or `*`. This field or `eventCategories` must have an entry. */
            events?: components["schemas"]["WebhookEventTypeOrAll"][];
            eventCategories?: components["schemas"]["WebhookEventCategory"][];
            /** @description Events that are never sent, even if the other fields include them. */
            excludeEvents?: components["schemas"]["WebhookEventType"][];
        };
        Webhook: components["schemas"]["WebhookBase"] & {
            /** @description The first characters of the secret. */
            hint: string;
        };
        /** @description The fields of a webhook that every response shows. */
        WebhookBase: {
            id: string;
            url: string;
            events: components["schemas"]["WebhookEventTypeOrAll"][];
            eventCategories: components["schemas"]["WebhookEventCategory"][];
            excludeEvents: components["schemas"]["WebhookEventType"][];
            environment: components["schemas"]["Environment"] | null;
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description Body of a webhook delivery. Every attempt sends the same bytes. */
        WebhookEvent: components["schemas"]["ChargeEvent"] | components["schemas"]["EndpointEvent"] | components["schemas"]["EndpointHealthEvent"];
        /** @enum {string} */
        WebhookEventCategory: "payments" | "webhooks";
        /** @enum {string} */
        WebhookEventType: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "charge.refund_declared" | "charge.refund_claimed" | "charge.refund_approved" | "charge.refunded" | "charge.refund_expired" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy";
        /** @enum {string} */
        WebhookEventTypeOrAll: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "charge.refund_declared" | "charge.refund_claimed" | "charge.refund_approved" | "charge.refunded" | "charge.refund_expired" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "*";
        WebhookList: components["schemas"]["Webhook"][];
        WebhookWithSecret: components["schemas"]["WebhookBase"] & {
            /** @description Shown only in this response. */
            secret: string;
        };
    };
    responses: {
        /** @description `charge_not_found`: No charge with this id is visible to this key. */
        ChargeNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `charge_not_payable`: The charge is final, or no amount is due. */
        ChargeNotPayable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Success. */
        ChargeResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Charge"];
            };
        };
        /** @description `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients, or `refunds:write` together with `recipients:manage_payout`. */
        ConflictingScopes: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Delivered. Respond with any 2xx within 8 seconds. The body is not read. */
        Delivered: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Success. */
        DeliveryResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Delivery"];
            };
        };
        /**
         * @description - `escrow_already_released`: The escrow was already released.
         *     - `escrow_already_refunded`: The escrow was already refunded.
         */
        EscrowClosed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `escrow_not_enabled`: The charge was created without `escrow`, so it is paid out automatically. To release or refund payments, create the next charge with `escrow`.
         *     - `escrow_empty`: The escrow holds no tokens.
         *     - `escrow_multiple_payment_pairs`: The charge was paid in more than one pair. The releaser must move the funds on chain.
         *     - `escrow_safe_mismatch`: The service cannot move the funds: the custody contract does not match the terms of the charge, or several orders reverted. Retrying does not help.
         */
        EscrowNotMovable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `escrow_already_released`: The escrow was already released.
         *     - `escrow_already_refunded`: The escrow was already refunded.
         *     - `request_in_progress`: The same request is already in progress for this charge. Wait until it completes.
         */
        EscrowOrderConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `recipient_transfer_restricted`: A token's issuer restricts an address that would be paid. For a new charge, the message lists the pairs to remove.
         *     - `escrow_not_enabled`: The charge was created without `escrow`, so it is paid out automatically. To release or refund payments, create the next charge with `escrow`.
         *     - `escrow_empty`: The escrow holds no tokens.
         *     - `escrow_multiple_payment_pairs`: The charge was paid in more than one pair. The releaser must move the funds on chain.
         *     - `escrow_safe_mismatch`: The service cannot move the funds: the custody contract does not match the terms of the charge, or several orders reverted. Retrying does not help.
         */
        EscrowOrderRejected: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Success. */
        EscrowSigningTransactionResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EscrowSigningTransaction"];
            };
        };
        /**
         * @description - `insufficient_scope`: The key lacks the required scope.
         *     - `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients, or `refunds:write` together with `recipients:manage_payout`.
         */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error`: Internal error. Report it with the `Request-Id`. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `validation_error`: The request is invalid. `param` names the field.
         *     - `invalid_amount`: The amount is too high or too low for the simulated event, or too low for a refund. A refund below the minimum payout of its network must be for the whole remaining amount.
         */
        InvalidAmount: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `validation_error`: The request is invalid. `param` names the field.
         *     - `escrow_invalid_signature`: The signature does not match the prepared transaction. Prepare and sign again.
         */
        InvalidEscrowSignature: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `validation_error`: The request is invalid. `param` names the field. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `validation_error`: The request is invalid. `param` names the field.
         *     - `invalid_webhook_url`: The URL is malformed, has no host, or is longer than 2048 characters.
         *     - `insecure_webhook_url`: The URL does not start with https.
         *     - `unresolvable_webhook_url`: The URL's host name does not resolve to an address.
         *     - `unsafe_webhook_url`: The URL contains credentials, or its host resolves to an address that is not public.
         */
        InvalidWebhookUrl: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Success, without a body. */
        NoContent: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Not delivered. The same holds for every other status, including redirects. There are five attempts in 24 hours. */
        NotDelivered: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `payload_too_large`: The body exceeds 64 KiB, or 96 KiB for a new charge. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limited`: Too many requests. Retry after the time in `Retry-After`. */
        RateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `recipient_not_found`: No recipient with this id is visible to this key. */
        RecipientNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Success. */
        RecipientResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Recipient"];
            };
        };
        /** @description `refund_not_found`: No refund with this id is visible to this key. */
        RefundNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Success. */
        RefundResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refund"];
            };
        };
        /** @description Success. */
        RefundWithLinkResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RefundWithLink"];
            };
        };
        /** @description `request_in_progress`: The same request is already in progress for this charge. Wait until it completes. */
        RequestInProgress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `rpc_unavailable`: Too few RPC nodes of a required chain respond, or their responses differ. Try again.
         *     - `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`.
         */
        RpcUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`. */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be monitored at the moment. Try again later.
         *     - `signature_payment_unavailable`: The charge or pair cannot be paid by signature at the moment: no pair is available for it, the amount is too small, too many signatures failed, gas is too expensive, or our gas account is empty. Nothing was sent. Pay by transfer instead.
         *     - `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`.
         */
        SignaturePaymentUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `sse_capacity`: Too many open streams. Close a stream, or read the charge instead.
         *     - `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`.
         */
        StreamUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `missing_api_key`: The header `Authorization` is missing.
         *     - `invalid_api_key`: The API key is unknown or was revoked.
         *     - `payout_address_revoked`: A payout address of the key was revoked as a recipient.
         */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unsupported_media_type`: The body is not `application/json` in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `webhook_not_found`: No webhook with this id is visible to this key. */
        WebhookNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Success. */
        WebhookResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Webhook"];
            };
        };
        /** @description Success. */
        WebhookWithSecretResponse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookWithSecret"];
            };
        };
    };
    parameters: {
        /** @description `ch_…` */
        ChargeId: string;
        /** @description Opaque `nextCursor` of the previous page. */
        Cursor: string;
        /** @description `dl_…` */
        DeliveryId: string;
        /** @description The `id` of the last event that the client received. */
        LastEventId: string;
        /** @description Maximum entries per page. */
        Limit: number;
        /** @description A blockchain on which payments are received. */
        NetworkName: components["schemas"]["Network"];
        /** @description `rc_…` */
        RecipientId: string;
        /** @description `rf_…` */
        RefundId: string;
        /** @description The `id` of the last event that the client received. The stream resumes after that event. An unknown id starts a new stream. */
        ResumeAfter: string;
        /** @description The `id` of the event. */
        ServiceDelivery: string;
        /** @description The type of the event. */
        ServiceEvent: string;
        /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}` with the whole secret as key. There are several `v1` while the secret is rotated. */
        ServiceSignature: string;
        /** @description A stablecoin. */
        TokenName: components["schemas"]["Token"];
        /** @description `wh_…` */
        WebhookId: string;
        /** @description The `id` of the event, under its Standard Webhooks name. */
        WebhookMessageId: string;
        /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`. The key is the decoded part of the secret after `whsec_`. There are several signatures, separated by spaces, while the secret is rotated. */
        WebhookSignature: string;
        /** @description Unix seconds of this attempt. */
        WebhookTimestamp: string;
    };
    requestBodies: {
        ChargeEventDelivery: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        EndpointEventDelivery: {
            content: {
                "application/json": components["schemas"]["EndpointEvent"];
            };
        };
        EndpointHealthEventDelivery: {
            content: {
                "application/json": components["schemas"]["EndpointHealthEvent"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description The service does not work at the moment. The body has the same form as on success. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    listNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capabilities"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ConflictingScopes"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listCharges: {
        parameters: {
            query?: {
                /** @description `pending`: no payment credited; `partially_paid`: less than `amount` credited; `confirmed`: paid in full; `expired`: no payment in time; `underpaid`: less than `amount` in time. */
                status?: components["schemas"]["ChargeStatus"];
                /** @description A stablecoin. */
                token?: components["parameters"]["TokenName"];
                /** @description A blockchain on which payments are received. */
                network?: components["parameters"]["NetworkName"];
                /** @description Determined by the API key: `svc_live_…` or `svc_test_…`. */
                environment?: components["schemas"]["Environment"];
                /** @description Only charges created at or after this timestamp. */
                since?: string;
                /** @description Only charges created before this timestamp. */
                until?: string;
                /** @description Only charges with exactly this `externalRef`. */
                externalRef?: string;
                isOverpaid?: "true" | "false";
                /** @description Maximum entries per page. */
                limit?: components["parameters"]["Limit"];
                /** @description Opaque `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChargePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `environment_mismatch`: The environment is not the key's. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createCharge: {
        parameters: {
            query?: never;
            header?: {
                /** @description Alternative to `idempotencyKey` in the body: 1 to 255 visible ASCII characters. If both are given and differ, the response is `400 validation_error`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCharge"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_key_reused`: The `idempotencyKey` was already used with a different body or, for a charge, another payout address. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `payout_address_missing`: The key has no payout address for the family of the accepted networks. Use a key that has such an address.
             *     - `token_not_supported`: A pair is not configured for the environment, or its network lacks the Safe contracts that escrow requires. `param` names the first such pair.
             *     - `recipient_not_found_in_split`: A `recipientId` is unknown, is revoked, or belongs to the other environment or to another chain family.
             *     - `split_recipients_exceed_available_percent`: The percentages add up to more than `100 - feePercent`.
             *     - `split_recipient_is_treasury_address`: A recipient is the service's own fee address.
             *     - `split_recipient_is_payout_address`: A recipient is the key's own payout address.
             *     - `recipient_transfer_restricted`: A token's issuer restricts an address that would be paid. For a new charge, the message lists the pairs to remove.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description - `rpc_unavailable`: Too few RPC nodes of a required chain respond, or their responses differ. Try again.
             *     - `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be monitored at the moment. Try again later.
             *     - `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCharge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ChargeResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followCharge: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last event that the client received. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": ({
                        /** @constant */
                        event: "charge";
                        id?: string;
                        data: string;
                    } | {
                        /** @constant */
                        event: "confirmation_progress";
                        id?: string;
                        data: string;
                    })[];
                };
            };
            /** @description No further events: `Last-Event-ID` is the id of the final event. The status keeps an `EventSource` from reconnecting. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StreamUnavailable"];
        };
    };
    listTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChargeAccounting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChargeAccounting"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChargeEvidence: {
        parameters: {
            query?: {
                /** @description Maximum entries per page. */
                limit?: components["parameters"]["Limit"];
                /** @description Opaque `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChargeEvidence"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    checkCharge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CheckHint"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedCharge"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["RequestInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description `payment_pair_not_accepted`: The charge does not accept this pair. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    drawQrcode: {
        parameters: {
            query?: {
                /** @description A stablecoin. */
                token?: components["parameters"]["TokenName"];
                /** @description A blockchain on which payments are received. */
                network?: components["parameters"]["NetworkName"];
            };
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["ChargeNotPayable"];
            /**
             * @description - `payment_pair_required`: The charge accepts, or was paid on, several pairs. Name one of them.
             *     - `payment_pair_not_accepted`: The charge does not accept this pair.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description - `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be monitored at the moment. Try again later.
             *     - `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    quoteCharge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestQuote"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SwapQuote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["ChargeNotPayable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `token_not_supported`: A pair is not configured for the environment, or its network lacks the Safe contracts that escrow requires. `param` names the first such pair.
             *     - `swap_test_environment_unsupported`: Test charges cannot be paid by a swap.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description - `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be monitored at the moment. Try again later.
             *     - `swap_unavailable`: Swaps are not configured in this service.
             *     - `swap_quote_failed`: The swap provider returned no quote. Try again.
             *     - `service_unavailable`: The service cannot process the request at the moment. Retry after the time in `Retry-After`.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    prepareEscrowRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EscrowSigningTransactionResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["EscrowClosed"];
            422: components["responses"]["EscrowNotMovable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    orderEscrowRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EscrowOrder"];
            };
        };
        responses: {
            200: components["responses"]["ChargeResponse"];
            400: components["responses"]["InvalidEscrowSignature"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["EscrowOrderConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["EscrowOrderRejected"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    prepareEscrowRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EscrowSigningTransactionResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["EscrowClosed"];
            422: components["responses"]["EscrowNotMovable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    orderEscrowRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EscrowOrder"];
            };
        };
        responses: {
            200: components["responses"]["ChargeResponse"];
            400: components["responses"]["InvalidEscrowSignature"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["EscrowOrderConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["EscrowOrderRejected"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    prepareAuthorization: {
        parameters: {
            query: {
                /** @description Address of the account that signs and pays. */
                payer: string;
            };
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreparedAuthorizations"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            /**
             * @description - `charge_not_payable`: The charge is final, or no amount is due.
             *     - `payment_in_progress`: A payment by signature is in progress for this charge or by this payer. Read the charge, and do not request another signature before the payment has ended.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["SignaturePaymentUnavailable"];
        };
    };
    submitAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedAuthorization"];
            };
        };
        responses: {
            200: components["responses"]["ChargeResponse"];
            /**
             * @description - `validation_error`: The request is invalid. `param` names the field.
             *     - `authorization_invalid`: The authorization does not match the charge, or its payer did not sign it. `param` names the field. Nothing was sent.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            /**
             * @description - `charge_not_payable`: The charge is final, or no amount is due.
             *     - `payment_in_progress`: A payment by signature is in progress for this charge or by this payer. Read the charge, and do not request another signature before the payment has ended.
             *     - `authorization_used`: The nonce of the authorization was canceled or used for another payment. Nothing was sent.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `payment_pair_not_accepted`: The charge does not accept this pair.
             *     - `insufficient_balance`: The payer's token balance is below the signed amount. Nothing was sent.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["SignaturePaymentUnavailable"];
        };
    };
    listRefunds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefundList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRefund"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefundWithLink"];
                };
            };
            400: components["responses"]["InvalidAmount"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChargeNotFound"];
            /**
             * @description - `idempotency_key_reused`: The `idempotencyKey` was already used with a different body or, for a charge, another payout address.
             *     - `request_in_progress`: The same request is already in progress for this charge. Wait until it completes.
             *     - `charge_still_open`: The charge is still waiting for payment. Request the refund once the charge has ended.
             *     - `refund_ambiguous`: Another open refund has the same wallet, destination, token and amount, so one transfer could pay either. Wait until it has ended, or change the amount by one unit.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `recipient_transfer_restricted`: A token's issuer restricts an address that would be paid. For a new charge, the message lists the pairs to remove.
             *     - `payment_pair_required`: The charge accepts, or was paid on, several pairs. Name one of them.
             *     - `escrow_not_released`: The escrow holds the payment. Its releaser refunds it: see `escrow`.
             *     - `nothing_received`: The charge received nothing on this pair, or everything was refunded.
             *     - `refund_exceeds_received`: The refunds of a charge cannot exceed the amount that it received on the pair. The message contains both amounts.
             *     - `refund_limit_reached`: The charge has 20 refunds that are open or confirmed, or 200 that have ended; or the payer has already given 20 addresses for the refund.
             *     - `destination_not_allowed`: A refund to the destination would be lost or would return to this service or to you, as with a token contract, an address of a charge or the paying wallet. If the service refunds only to payers, the destination must have sent at least the amount.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    getRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rf_…` */
                id: components["parameters"]["RefundId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RefundResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RefundNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    approveRefundClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rf_…` */
                id: components["parameters"]["RefundId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveRefund"];
            };
        };
        responses: {
            200: components["responses"]["RefundResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RefundNotFound"];
            /**
             * @description - `request_in_progress`: The same request is already in progress for this charge. Wait until it completes.
             *     - `refund_ambiguous`: Another open refund has the same wallet, destination, token and amount, so one transfer could pay either. Wait until it has ended, or change the amount by one unit.
             *     - `refund_not_awaiting_approval`: The refund has no address from its payer that could be approved or rejected, or its deadline has passed.
             *     - `refund_address_mismatch`: The address differs from the address that the payer gave. Read the refund again, and compare its `claim` with the payer’s own message.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `recipient_transfer_restricted`: A token's issuer restricts an address that would be paid. For a new charge, the message lists the pairs to remove.
             *     - `destination_not_allowed`: A refund to the destination would be lost or would return to this service or to you, as with a token contract, an address of a charge or the paying wallet. If the service refunds only to payers, the destination must have sent at least the amount.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    rejectRefundClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rf_…` */
                id: components["parameters"]["RefundId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RefundWithLinkResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RefundNotFound"];
            /**
             * @description - `request_in_progress`: The same request is already in progress for this charge. Wait until it completes.
             *     - `refund_not_awaiting_approval`: The refund has no address from its payer that could be approved or rejected, or its deadline has passed.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createRefundClaimLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rf_…` */
                id: components["parameters"]["RefundId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RefundWithLinkResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RefundNotFound"];
            /**
             * @description - `request_in_progress`: The same request is already in progress for this charge. Wait until it completes.
             *     - `refund_not_claimable`: The refund is not waiting for an address: the payer has already provided one, or the refund has ended.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rf_…` */
                id: components["parameters"]["RefundId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RefundResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RefundNotFound"];
            /**
             * @description - `request_in_progress`: The same request is already in progress for this charge. Wait until it completes.
             *     - `refund_already_seen`: The transfer of the refund is on its chain, so the refund cannot be canceled.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    checkRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rf_…` */
                id: components["parameters"]["RefundId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CheckRefund"];
            };
        };
        responses: {
            200: components["responses"]["RefundResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RefundNotFound"];
            409: components["responses"]["RequestInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RpcUnavailable"];
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                /** @description Maximum entries per page. */
                limit?: components["parameters"]["Limit"];
                /** @description Opaque `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    registerRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterRecipient"];
            };
        };
        responses: {
            201: components["responses"]["RecipientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: components["parameters"]["RecipientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RecipientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RecipientNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: components["parameters"]["RecipientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RecipientNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setRecipientPayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: components["parameters"]["RecipientId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetRecipientPayout"];
            };
        };
        responses: {
            200: components["responses"]["RecipientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RecipientNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRecipientTransferability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: components["parameters"]["RecipientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientTransferability"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RecipientNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPendingDistributions: {
        parameters: {
            query?: {
                /** @description Maximum entries per page. */
                limit?: components["parameters"]["Limit"];
                /** @description Opaque `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingDistributionPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ConflictingScopes"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followPendingDistributions: {
        parameters: {
            query?: {
                /** @description Maximum existing distributions to send first. */
                limit?: number;
            };
            header?: {
                /** @description The `id` of the last event that the client received. The stream resumes after that event. An unknown id starts a new stream. */
                "Last-Event-ID"?: components["parameters"]["ResumeAfter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @constant */
                        event: "distribution";
                        id?: string;
                        data: string;
                    }[];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ConflictingScopes"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StreamUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            201: components["responses"]["WebhookWithSecretResponse"];
            400: components["responses"]["InvalidWebhookUrl"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description `webhook_limit_reached`: The limit of 20 webhooks is reached. Delete a webhook first. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listenToWebhookEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last event that the client received. The stream resumes after that event. An unknown id starts a new stream. */
                "Last-Event-ID"?: components["parameters"]["ResumeAfter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": ({
                        /** @constant */
                        event: "ready";
                        id?: string;
                        data: string;
                    } | {
                        /** @description the type of the event */
                        event: string;
                        id?: string;
                        data: string;
                    })[];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StreamUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            200: components["responses"]["WebhookResponse"];
            400: components["responses"]["InvalidWebhookUrl"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            200: components["responses"]["WebhookWithSecretResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["DeliveryResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                status?: components["schemas"]["DeliveryStatus"];
                event?: components["schemas"]["ReceivedEventType"];
                /** @description Maximum entries per page. */
                limit?: components["parameters"]["Limit"];
                /** @description Opaque `nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: components["parameters"]["WebhookId"];
                /** @description `dl_…` */
                deliveryId: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["DeliveryResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /**
             * @description - `webhook_not_found`: No webhook with this id is visible to this key.
             *     - `delivery_not_found`: The webhook has no delivery with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    queryMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetricsQuery"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `environment_mismatch`: The environment is not the key's.
             *     - `query_too_expensive`: The query took longer than 5 seconds. Request less data.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportAccountingEntries: {
        parameters: {
            query: {
                /** @description The time of the earliest posting to export: an ISO 8601 time such as 2026-11-01T00:00:00Z, or a date, which begins at midnight in `timezone`. */
                from: string;
                /** @description Only postings before this time are exported. In the same form as `from`, and at most 366 days after it. */
                to: string;
                /** @description `json` is one JSON object per line (NDJSON). Ledger can also read `hledger`. */
                format?: "csv" | "json" | "hledger" | "beancount";
                /** @description The IANA name of the time zone of dates and times. */
                timezone?: string;
                /** @description The columns of `csv` and `json` in their order, separated by commas: `entry_id`, `leg`, `date`, `time`, `category`, `charge_id`, `external_ref`, `charge_status`, `account`, `amount`, `commodity`, `amount_atomic`, `decimals`, `usd`, `network`, `token`, `token_address`, `counterparty`, `tx_hash`, `block_number`, `corrects`, `recorded_at`, `simulated`. By default 22 of them: all but `charge_status`, which is the status at the time of the export. */
                columns?: string;
                /** @description Only entries that the service recorded at or after this time. With `Accounting-Recorded-Until` of the previous export it selects the new entries. */
                recordedSince?: string;
                /** @description Only entries that the service recorded before this time. Then a repeated export without `charge_status` has the same bytes, even if a payment of the period was found later. */
                recordedUntil?: string;
                /** @description Continues an interrupted export after this `entry_id`. Repeat the query, and set `recordedUntil` to the header `Accounting-Recorded-Until` of the interrupted response. The response then has neither a header row nor the opening lines of a journal. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `entry_not_in_range`: The entry named by `after` is not in the requested period. Continue an export with the query that it began with. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    triggerSandboxEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: components["parameters"]["ChargeId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxTrigger"];
            };
        };
        responses: {
            200: components["responses"]["ChargeResponse"];
            400: components["responses"]["InvalidAmount"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description - `insufficient_scope`: The key lacks the required scope.
             *     - `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients, or `refunds:write` together with `recipients:manage_payout`.
             *     - `forbidden`: The sandbox accepts only test keys.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["ChargeNotFound"];
            409: components["responses"]["RequestInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `payment_pair_not_accepted`: The charge does not accept this pair.
             *     - `invalid_trigger_state`: The charge cannot reach the requested state from its current state.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
}
