// Written by `npm run client-types` from /v1/openapi.json; do not edit.

export interface paths {
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the service works */
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
         * List what can be accepted now in the key's environment
         * @description For a test key besides: the pairs of testnets that are not configured here. A charge that accepts only such is simulated: nothing looks at a chain for it, and the sandbox makes everything happen to it.
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
         * @description Answers an address to pay to; nothing happens on chain. A replay of an `idempotencyKey` answers 201 with the charge as it is now. `splitRecipients` need the scope `charges:split_write` besides.
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
         * @description First the charge as it is, then again at every change and every credit. It ends when nothing more is to be expected; before that, come again. What follows a lost connection is the present state, so nothing needs to be resumed; who has the last frame already is told so.
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
         * List what happened to a charge, oldest first
         * @description A bare array without pages: the oldest 10,000 entries, should there ever be more.
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
         * @description Without a body, looks for recent transfers to the address; with a body, for that single transaction. Once in 10 seconds for each charge, for all keys together, and by default 100 times a minute for each organization and environment. Checks on the page of the charge are counted apart. It has a rate limit of its own besides: 100 a minute for each organization and environment, unless the deployment is configured otherwise.
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
         * Draw the QR code by which a wallet pays what remains of a charge
         * @description An EIP-681 URI with the token, the address and what remains. Name a pair where the charge accepts several.
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
         * Quote paying what remains of a charge with another asset
         * @description Pass an entry of `swapAlternatives`. The answer is a transaction that buys exactly what remains and sends it to the charge; whatever it costs less than `inputAmount` comes back to `takerAddress` in it. Each quote was checked to pay this charge and nothing else, and is to be sent before `expiresAt`. At most 10 quotes a minute for each charge, besides those on its page. `503 swap_quote_failed`: the provider gave none, or one that was refused.
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
         * @description The whole live balance of the Safe goes to the charge’s split. Dust is what one sender was credited on one pair, in total, below 1 % of the charge’s `amount`. Dust on a second pair does not count as payment on several pairs.
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
        /** Execute the release of an escrow that the releaser signed */
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
         * @description The whole live balance of the Safe goes back to the sender of the most recently credited transfer that is not dust; `destinationFrom` names that transfer. Dust is what one sender was credited on one pair, in total, below 1 % of the charge’s `amount`. Only if there is nothing but dust does the most recent transfer of all decide. This deviates deliberately from the letter of the specification, by which whoever sends a cent last would be refunded the whole escrow.
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
        /** Execute the refund of an escrow that the releaser signed */
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
         * Prepare what a payer signs instead of sending a payment
         * @description EIP-712 typed data of EIP-3009, for each pair in `payBySignature`, over all that is neither credited nor seen now. Have one of them signed. `409 payment_in_progress`: something signed may pay yet; have nothing signed before it is over.
         */
        get: operations["prepareAuthorization"];
        put?: never;
        /**
         * Have a payment carried out that the payer has signed
         * @description Answers once it is mined, or after 30 seconds: then `authorization.state` is `signed`, and it goes on. The very same again is answered as it is then, and is never a second payment. It is credited like every payment, at its depth. At most 10 a minute for each charge.
         */
        post: operations["submitAuthorization"];
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
         * Register a recipient, or bring back the one its address already is
         * @description Once per address: a second time sets the label if one is given, revives what was revoked, and takes the eligibility for payouts back.
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
         * Revoke a recipient; one with payout also stops the API keys that pay it
         * @description Charges that were made with it keep it. One with `payout` needs the scope `recipients:manage_payout`.
         */
        delete: operations["revokeRecipient"];
        options?: never;
        head?: never;
        /**
         * Make a recipient eligible to be an API key's payout address, or take that back
         * @description A key has one payout address for EVM networks and may have another one on TRON; either is a recipient of its family. The service's own fee address cannot be made eligible.
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
         * Ask the issuers of all acceptable tokens whether a recipient may receive and send them
         * @description Answers within a second, from answers of up to five minutes ago (30 seconds for `unknown`, which blocks nothing). A charge that would pay somebody whose `receive` is `restricted` is refused; `send` never matters to it. It has a rate limit of its own besides: 20 a minute for each organization, unless the deployment is configured otherwise.
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
         * List what anyone may distribute
         * @description Longest available first, of all organizations: the keeper feed is public to every key of the environment.
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
         * Follow what anyone may distribute as server-sent events
         * @description Keep a map by split, network and token: additions and removals are idempotent. `Last-Event-ID` resumes within 24 hours.
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
         * @description For the environment of the key. At most 20. The secret is shown in this answer only.
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
         * @description No webhook needs to be registered. `Last-Event-ID` resumes within 24 hours. `npm run svc -- listen` forwards them, signed, to a receiver on your machine.
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
         * Change where a webhook goes or what it receives
         * @description A field that is left out stays, and so does the secret. Lists are replaced as a whole, and hold for events from then on; pending deliveries go to the new URL.
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
         * @description The old one signs beside it for 24 hours.
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
         * @description Answers the delivery as it will stand before its first attempt; the list of deliveries has it within seconds.
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
         * @description With `status` or `event` a page looks through at most 10,000 deliveries: it can be short, or empty, and have a `nextCursor` all the same.
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
         * Attempt a delivery again, five times if need be, the first at once
         * @description Answers the delivery as it is from then on: `pending`, due at once, with the attempts that were made counted.
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
         * @description A narrower scope asks its own resource only. `transactions` are transfers on accepted pairs; sandbox credits are among them, told by their source. A query may take 5 seconds. It has a rate limit of its own besides: 60 a minute for each organization, unless the deployment is configured otherwise.
         */
        post: operations["queryMetrics"];
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
         * Simulate a payment, an expiry or a settlement of a test charge
         * @description No chain is touched: the charge, its events and its webhooks behave as if it had happened. A simulated payment has no `txHash`, and counts as of the first accepted pair unless `token` and `network` name another. An escrow that was paid in this way alone is rehearsed: it holds what was so paid, is released or refunded by a real signature of its releaser without a transaction, and is settled by `charge.settled`. Once a testnet pays it too, only what is on the chain can be moved.
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
export interface webhooks {
    "charge.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A charge was made. */
        post: operations["receiveChargeCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.partially_paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Something was credited, and less than `amount`. */
        post: operations["receiveChargePartiallyPaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The charge is paid in full, at the depth its network needs. The money is on its way to you. */
        post: operations["receiveChargeConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Nothing came in time. */
        post: operations["receiveChargeExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.underpaid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Something came in time, and too little. */
        post: operations["receiveChargeUnderpaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Your wallet has the money. */
        post: operations["receiveChargeSettled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.settlement_failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The payout failed for good; anyone can still distribute it. */
        post: operations["receiveChargeSettlementFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.overpaid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** More than `amount` came; sent besides, once. */
        post: operations["receiveChargeOverpaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.escrow_released": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The release that you ordered was executed; `charge.settled` follows. */
        post: operations["receiveChargeEscrowReleased"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "charge.escrow_refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The refund that you ordered was executed. */
        post: operations["receiveChargeEscrowRefunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.delivery_failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A delivery has used its five attempts. */
        post: operations["receiveWebhookDeliveryFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.delivery_recovered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A delivery succeeded, the first after the endpoint was called unhealthy. */
        post: operations["receiveWebhookDeliveryRecovered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.endpoint_unhealthy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** More than a fifth of the attempts of 24 hours failed. */
        post: operations["receiveWebhookEndpointUnhealthy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** You asked for it. */
        post: operations["receiveWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * AcceptedPayment
         * @description A token on a network: what can be paid with.
         */
        AcceptedPayment: {
            token: components["schemas"]["Token"];
            network: components["schemas"]["Network"];
        };
        /**
         * Address
         * @description As its network writes it: 0x with a checksum, or TRON's T form.
         * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
         * @example TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t
         */
        Address: string;
        /**
         * AddressTerms
         * @description Everything needed to compute `address` again, without trusting us: `npm run verify-address`.
         */
        AddressTerms: {
            /**
             * @description Of its addresses, and of how they are computed.
             * @enum {string}
             */
            family?: "evm" | "tron";
            factory: components["schemas"]["Address"];
            /** @description keccak256 of the charge's id. */
            salt: string;
            recipients: {
                address: components["schemas"]["Address"];
                /** @description Millionths of what the incentive leaves. */
                allocation: number;
            }[];
            totalAllocation: number;
            /** @description Millionths of the whole, for whoever distributes. */
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
         * Capabilities
         * @description What can be accepted now in the key's environment.
         */
        Capabilities: {
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
        };
        /**
         * Charge
         * @description A payment that is asked for, and how far it is.
         */
        Charge: {
            id: string;
            /** @description What the payer must send, in dollars; never changes. */
            amount: number;
            amountExact?: components["schemas"]["ExactAmount"];
            /** @enum {string} */
            feePayer: "merchant" | "payer";
            /** @description Of `amount`, escrow surcharge included. */
            feePercent: number;
            feeAmount: number;
            /** @description `amount - feeAmount`: what you net. */
            merchantAmount: number;
            /** @description All credited transfers together; null until the first. May exceed `amount`. */
            amountReceived: number | null;
            amountReceivedExact?: components["schemas"]["ExactAmount"] | null;
            /** @description Payments cannot be watched now: do not ask anybody to pay. */
            paymentUnavailable?: boolean;
            /** @description More than `amount` came; it is never refunded by itself. */
            isOverpaid: boolean;
            /** @enum {string} */
            currency: "USD";
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
            /** @description Pairs of credited transfers. */
            paidWith: components["schemas"]["AcceptedPayment"][];
            /** @description What else it can be paid with, through a swap. */
            swapAlternatives: components["schemas"]["SwapAlternative"][];
            /** @description Pairs that a payer can sign for instead of sending it (EIP-3009), without a coin for gas. Left out in events. */
            payBySignature?: components["schemas"]["AcceptedPayment"][];
            address: components["schemas"]["Address"];
            addressTerms: components["schemas"]["AddressTerms"];
            status: components["schemas"]["ChargeStatus"];
            /** @description Null while no payout was queued. */
            settlementStatus: components["schemas"]["SettlementStatus"] | null;
            environment: components["schemas"]["Environment"];
            apiKeyId: string | null;
            /** @description The most recent detected transfer. */
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
            /** @description Null without escrow; released or refunded once. */
            escrow: {
                releaserAddress: components["schemas"]["Address"];
                releasedAt: components["schemas"]["Timestamp"] | null;
                refundedAt: components["schemas"]["Timestamp"] | null;
                /** @description What the releaser has ordered here and the chain does not show at its depth yet. Null again once it does, or when the order ended without effect. */
                pendingAction: ("release" | "refund") | null;
            } | null;
            /** @description What a payer signed for it last and was taken; null if nothing was. */
            authorization?: {
                /**
                 * @description `signed`: under way, nobody is to sign another; `mined`: in a block, credited at its depth like every payment; `canceled`, `reverted`, `lapsed`: it never will be.
                 * @enum {string}
                 */
                state: "signed" | "mined" | "canceled" | "reverted" | "lapsed";
                /** @description Of what carries it out now; another may yet. */
                txHash: string | null;
                network: components["schemas"]["Network"];
                token: components["schemas"]["Token"];
                payer: components["schemas"]["Address"];
            } | null;
        };
        /** ChargeEvent */
        ChargeEvent: {
            /** @description The same on every attempt: what you have seen, you can skip. */
            id: string;
            /** @enum {string} */
            event: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded";
            createdAt: components["schemas"]["Timestamp"];
            data: components["schemas"]["Charge"];
        };
        /** ChargePage */
        ChargePage: {
            data: components["schemas"]["Charge"][];
            /** @description Goes into `cursor` for the next page; null on the last. */
            nextCursor: string | null;
            hasMore: boolean;
        };
        /**
         * ChargeStatus
         * @description `pending`: nothing credited; `partially_paid`; `confirmed`: paid in full; `expired`: nothing came in time; `underpaid`: too little did.
         * @enum {string}
         */
        ChargeStatus: "pending" | "partially_paid" | "confirmed" | "expired" | "underpaid";
        /**
         * CheckHint
         * @description One transaction to verify: hash and network, both or neither.
         */
        CheckHint: {
            txHash?: string;
            network?: components["schemas"]["Network"];
        };
        /**
         * CheckedCharge
         * @description A charge with what a check has found besides.
         */
        CheckedCharge: {
            id: string;
            /** @description What the payer must send, in dollars; never changes. */
            amount: number;
            amountExact?: components["schemas"]["ExactAmount"];
            /** @enum {string} */
            feePayer: "merchant" | "payer";
            /** @description Of `amount`, escrow surcharge included. */
            feePercent: number;
            feeAmount: number;
            /** @description `amount - feeAmount`: what you net. */
            merchantAmount: number;
            /** @description All credited transfers together; null until the first. May exceed `amount`. */
            amountReceived: number | null;
            amountReceivedExact?: components["schemas"]["ExactAmount"] | null;
            /** @description Payments cannot be watched now: do not ask anybody to pay. */
            paymentUnavailable?: boolean;
            /** @description More than `amount` came; it is never refunded by itself. */
            isOverpaid: boolean;
            /** @enum {string} */
            currency: "USD";
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
            /** @description Pairs of credited transfers. */
            paidWith: components["schemas"]["AcceptedPayment"][];
            /** @description What else it can be paid with, through a swap. */
            swapAlternatives: components["schemas"]["SwapAlternative"][];
            /** @description Pairs that a payer can sign for instead of sending it (EIP-3009), without a coin for gas. Left out in events. */
            payBySignature?: components["schemas"]["AcceptedPayment"][];
            address: components["schemas"]["Address"];
            addressTerms: components["schemas"]["AddressTerms"];
            status: components["schemas"]["ChargeStatus"];
            /** @description Null while no payout was queued. */
            settlementStatus: components["schemas"]["SettlementStatus"] | null;
            environment: components["schemas"]["Environment"];
            apiKeyId: string | null;
            /** @description The most recent detected transfer. */
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
            /** @description Null without escrow; released or refunded once. */
            escrow: {
                releaserAddress: components["schemas"]["Address"];
                releasedAt: components["schemas"]["Timestamp"] | null;
                refundedAt: components["schemas"]["Timestamp"] | null;
                /** @description What the releaser has ordered here and the chain does not show at its depth yet. Null again once it does, or when the order ended without effect. */
                pendingAction: ("release" | "refund") | null;
            } | null;
            /** @description What a payer signed for it last and was taken; null if nothing was. */
            authorization?: {
                /**
                 * @description `signed`: under way, nobody is to sign another; `mined`: in a block, credited at its depth like every payment; `canceled`, `reverted`, `lapsed`: it never will be.
                 * @enum {string}
                 */
                state: "signed" | "mined" | "canceled" | "reverted" | "lapsed";
                /** @description Of what carries it out now; another may yet. */
                txHash: string | null;
                network: components["schemas"]["Network"];
                token: components["schemas"]["Token"];
                payer: components["schemas"]["Address"];
            } | null;
            transactionSender: components["schemas"]["Address"] | null;
            tokenSenders: components["schemas"]["Address"][];
            userOperationSenders: components["schemas"]["Address"][];
            confirmationProgress: components["schemas"]["ConfirmationProgress"] | null;
        };
        /**
         * ConfirmationProgress
         * @description How deep a transfer that was seen lies already.
         */
        ConfirmationProgress: {
            network: components["schemas"]["Network"];
            blocksSeen: number;
            blocksRequired: number;
            percent: number;
        };
        /**
         * CreateCharge
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
            /** @description Dollars; digits after the sixth are cut off. The service may have a minimum for live charges: below it `400 validation_error`, whose message names it. */
            amount: number;
            /**
             * @description With `payer` the charge is grossed up, so that you net `amount`.
             * @default merchant
             * @enum {string}
             */
            feePayer?: "merchant" | "payer";
            /**
             * @default USD
             * @enum {string}
             */
            currency?: "USD";
            /** @description Pairs that `GET /v1/networks` lists, all of one family: TRON does not mix with EVM networks. */
            acceptedPayments: components["schemas"]["AcceptedPayment"][];
            /** @description Seconds until it stops accepting payment. */
            expiresIn: number;
            /** @description The same key with the same body answers the charge there is; with another body `409`. The header `Idempotency-Key` means the same. */
            idempotencyKey?: string;
            /** @description Yours, such as an order number; echoed. */
            externalRef?: string;
            /** @description A label of yours; echoed. */
            source?: string;
            /** @description Your own keys and values, returned as the text they were: at most 16 KiB of it besides `service`. */
            metadata?: {
                /** @description Reserved: what the hosted checkout shows. Never compared with `amount`. */
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
            /** @description http or https, without credentials; where the checkout sends the payer. */
            redirectUrl?: string;
            /** @description Whom to pay besides; the percents add up to at most `100 - feePercent`. */
            splitRecipients?: components["schemas"]["SplitRecipientInput"][];
            /** @description Holds the money in a Safe of the releaser until he releases or refunds it; EVM networks only. */
            escrow?: {
                /** @description Who may release or refund; otherwise the API key's payout address. Cannot be changed. */
                releaserAddress?: string;
            };
        };
        /**
         * CreateWebhook
         * @example {
         *       "url": "https://example.com/hook",
         *       "eventCategories": [
         *         "payments"
         *       ]
         *     }
         */
        CreateWebhook: {
            /** @description https, public, without credentials, at most 2048 characters. */
            url: string;
            /** @description By name, or `*`; this or `eventCategories` names something. */
            events?: ("charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "*")[];
            eventCategories?: components["schemas"]["WebhookEventCategory"][];
            /** @description What not to send, whatever else says so. */
            excludeEvents?: components["schemas"]["WebhookEventType"][];
        };
        /** Delivery */
        Delivery: {
            id: string;
            /** @enum {string} */
            event: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "webhook.test";
            /** @description The `id` in its body. Null only in the answer to a request for a test, whose event is made after it. */
            eventId: string | null;
            /** @description Null for `webhook.*`. */
            chargeId: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            /** @description The last status any attempt got; null if none ever connected. */
            responseCode: number | null;
            createdAt: components["schemas"]["Timestamp"];
            nextRetryAt: components["schemas"]["Timestamp"] | null;
            deliveredAt: components["schemas"]["Timestamp"] | null;
        };
        /** DeliveryPage */
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            /** @description Goes into `cursor` for the next page; null on the last. */
            nextCursor: string | null;
            hasMore: boolean;
        };
        /** DistributionChange */
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
        /** EndpointEvent */
        EndpointEvent: {
            /** @description The same on every attempt: what you have seen, you can skip. */
            id: string;
            /** @enum {string} */
            event: "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.test";
            createdAt: components["schemas"]["Timestamp"];
            data: components["schemas"]["EndpointFacts"];
        };
        /** EndpointFacts */
        EndpointFacts: {
            webhookId: string;
            url: string;
        };
        /** EndpointHealthEvent */
        EndpointHealthEvent: {
            /** @description The same on every attempt: what you have seen, you can skip. */
            id: string;
            /** @enum {string} */
            event: "webhook.endpoint_unhealthy";
            createdAt: components["schemas"]["Timestamp"];
            data: components["schemas"]["EndpointHealthFacts"];
        };
        /** EndpointHealthFacts */
        EndpointHealthFacts: {
            webhookId: string;
            url: string;
            /** @description Of the attempts that finished in 24 hours. */
            failureRatio: number;
        };
        /**
         * Environment
         * @description Chosen by the API key alone: `svc_live_…` or `svc_test_…`.
         * @enum {string}
         */
        Environment: "live" | "test";
        /**
         * Error
         * @description What every answer but a success says.
         */
        Error: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description For developers; may change. */
                message: string;
                /** @description The field concerned, such as `acceptedPayments[1].token`. */
                param?: string;
            };
        };
        /**
         * ErrorCode
         * @description Stable, for programs; new ones may be added.
         * @enum {string}
         */
        ErrorCode: "validation_error" | "escrow_invalid_signature" | "authorization_invalid" | "invalid_amount" | "invalid_webhook_url" | "insecure_webhook_url" | "unresolvable_webhook_url" | "unsafe_webhook_url" | "missing_api_key" | "invalid_api_key" | "payout_address_revoked" | "payment_required" | "insufficient_scope" | "conflicting_api_key_scopes" | "forbidden" | "not_found" | "charge_not_found" | "recipient_not_found" | "webhook_not_found" | "delivery_not_found" | "method_not_allowed" | "idempotency_key_reused" | "charge_not_payable" | "escrow_already_released" | "escrow_already_refunded" | "request_in_progress" | "payment_in_progress" | "authorization_used" | "payload_too_large" | "unsupported_media_type" | "payout_address_missing" | "token_not_supported" | "recipient_not_found_in_split" | "split_recipients_exceed_available_percent" | "split_recipient_is_treasury_address" | "split_recipient_is_payout_address" | "recipient_transfer_restricted" | "payment_pair_required" | "payment_pair_not_accepted" | "environment_mismatch" | "swap_test_environment_unsupported" | "escrow_not_enabled" | "escrow_empty" | "escrow_multiple_payment_pairs" | "escrow_safe_mismatch" | "insufficient_balance" | "webhook_limit_reached" | "invalid_trigger_state" | "query_too_expensive" | "rate_limited" | "internal_error" | "rpc_unavailable" | "payment_temporarily_unavailable" | "signature_payment_unavailable" | "swap_unavailable" | "swap_quote_failed" | "sse_capacity" | "service_unavailable";
        /**
         * EscrowDestinationFrom
         * @description The credited transfer whose sender a refund goes to: its transaction, its amount in the token’s units and the time of its block.
         */
        EscrowDestinationFrom: {
            /** @description Null for a sandbox payment, which is on no chain. */
            txHash: string | null;
            /** @description A whole number, as text. */
            amount: string;
            at: components["schemas"]["Timestamp"];
        };
        /**
         * EscrowOrder
         * @example {
         *       "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
         *       "amount": "10000000"
         *     }
         */
        EscrowOrder: {
            /** @description The releaser's, of `typedData` as prepared. */
            signature: string;
            /** @description The `amount` that was prepared and signed, in the token’s units; by default the live balance. Accepted if it is at most the balance and the rest is below 1 % of the charge’s `amount`, so that a cent that arrives after the signing does not void the signature. */
            amount?: string;
        };
        /**
         * EscrowSigningTransaction
         * @description What the releaser signs, for one balance and one nonce.
         */
        EscrowSigningTransaction: {
            destination: components["schemas"]["Address"];
            /** @description Null for a release: its destination is the `splitAddress` of the charge’s `addressTerms`. */
            destinationFrom: components["schemas"]["EscrowDestinationFrom"] | null;
            tokenAddress: components["schemas"]["Address"];
            /** @description A whole number, as text. */
            amount: string;
            chainId: number;
            safeAddress: components["schemas"]["Address"];
            /** @description A whole number, as text. */
            nonce: string;
            typedData: {
                types: {
                    EIP712Domain: {
                        name: string;
                        type: string;
                    }[];
                    SafeTx: {
                        name: string;
                        type: string;
                    }[];
                };
                /** @enum {string} */
                primaryType: "SafeTx";
                domain: {
                    /** @description A number: without `EIP712Domain` in `types`, viem leaves out a string. */
                    chainId: number;
                    verifyingContract: components["schemas"]["Address"];
                };
                message: {
                    to: components["schemas"]["Address"];
                    /** @description A whole number, as text. */
                    value: string;
                    data: string;
                    /** @description A whole number, as text. */
                    operation: string;
                    /** @description A whole number, as text. */
                    safeTxGas: string;
                    /** @description A whole number, as text. */
                    baseGas: string;
                    /** @description A whole number, as text. */
                    gasPrice: string;
                    gasToken: components["schemas"]["Address"];
                    refundReceiver: components["schemas"]["Address"];
                    /** @description A whole number, as text. */
                    nonce: string;
                };
            };
            safeTxHash: string;
        };
        /**
         * ExactAmount
         * @description A decimal without exponent, sign or trailing zeros; the one to calculate with.
         * @example 10.5
         */
        ExactAmount: string;
        /** Health */
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
        /** ListenReady */
        ListenReady: {
            /** @description This connection's own; no webhook signs with it. */
            secret: string;
        };
        /**
         * Metric
         * @description Without an alias its column is `count` or `<aggregation>_<field>`; of money there is `<alias>Exact` besides.
         */
        Metric: {
            /**
             * @description Percentiles are values that occur; an average is rounded at its 18th fractional digit.
             * @enum {string}
             */
            aggregation: "count" | "sum" | "avg" | "min" | "max" | "countDistinct" | "p50" | "p90" | "p99";
            field?: components["schemas"]["MetricsField"];
            /** @description A column of the answer. */
            alias?: string;
        };
        /** MetricsAnswer */
        MetricsAnswer: {
            data: components["schemas"]["MetricsRow"][];
            meta: components["schemas"]["MetricsMeta"];
        };
        /**
         * MetricsDateRange
         * @description From `from` on, before `to`; at most 366 days, or 3660 in buckets of a month, a quarter or a year.
         */
        MetricsDateRange: {
            field: components["schemas"]["MetricsField"];
            /** @description ISO 8601. */
            from: string;
            /** @description ISO 8601. */
            to: string;
        };
        /**
         * MetricsField
         * @description Of charges: status, settlementStatus, source, apiKeyId, currency, isOverpaid, externalRef, feePayer, escrowReleaserAddress, amount, amountReceived, feePercent, feeAmount, merchantAmount, escrowFeePercent, createdAt, confirmedAt, settledAt, lastActivityAt, expiresAt, escrowReleasedAt. Of transactions: network, token, source, causedTransition, amount, detectedAt. Of distributions: status, network, token, distributorAddress, amount, attempts, createdAt, processingStartedAt, completedAt.
         * @enum {string}
         */
        MetricsField: "status" | "settlementStatus" | "source" | "apiKeyId" | "currency" | "isOverpaid" | "externalRef" | "feePayer" | "escrowReleaserAddress" | "amount" | "amountReceived" | "feePercent" | "feeAmount" | "merchantAmount" | "escrowFeePercent" | "createdAt" | "confirmedAt" | "settledAt" | "lastActivityAt" | "expiresAt" | "escrowReleasedAt" | "network" | "token" | "causedTransition" | "detectedAt" | "distributorAddress" | "attempts" | "processingStartedAt" | "completedAt";
        /** MetricsFilter */
        MetricsFilter: {
            field: components["schemas"]["MetricsField"];
            /** @enum {string} */
            operator: "eq" | "neq" | "in" | "gt" | "gte" | "lt" | "lte";
            /** @description A list with `in`, else one value; null with `eq` and `neq` only. */
            value: string | number | boolean | null | (string | number | boolean)[];
        };
        /** MetricsGroupBy */
        MetricsGroupBy: {
            /** @enum {string} */
            type: "date_bucket" | "field";
            field: components["schemas"]["MetricsField"];
            /**
             * @description Of a date_bucket, and required there; in UTC, weeks from Monday.
             * @enum {string}
             */
            granularity?: "hour" | "day" | "week" | "month" | "quarter" | "year";
        };
        /** MetricsMeta */
        MetricsMeta: {
            resource: components["schemas"]["MetricsResource"];
            environment: components["schemas"]["Environment"];
            rowCount: number;
            /** @description There were more rows than `limit`. */
            truncated: boolean;
        };
        /** MetricsOrderBy */
        MetricsOrderBy: {
            /** @description A column of the answer. */
            key: string;
            /**
             * @default asc
             * @enum {string}
             */
            direction?: "asc" | "desc";
        };
        /**
         * MetricsQuery
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
             * @description Answer buckets without rows as well.
             * @default false
             */
            fill?: boolean;
        };
        /**
         * MetricsResource
         * @description What is counted.
         * @enum {string}
         */
        MetricsResource: "charges" | "transactions" | "distributions";
        /**
         * MetricsRow
         * @description A value for each group and each metric, and the exact text of money as `<alias>Exact`.
         */
        MetricsRow: {
            [key: string]: string | number | boolean | null;
        };
        /**
         * Network
         * @description A chain that payments come on.
         * @enum {string}
         */
        Network: "base" | "optimism" | "polygon" | "ethereum" | "arbitrum" | "avalanche" | "bnb" | "tron" | "arc";
        /**
         * OpenApiDocument
         * @description OpenAPI 3.1.
         */
        OpenApiDocument: {
            openapi: string;
            info: Record<string, never>;
            paths: Record<string, never>;
        } & {
            [key: string]: unknown;
        };
        /**
         * PendingDistribution
         * @description What anyone may distribute now, for its incentive.
         */
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
            /** @description Dollars, from what was credited; not a live balance. */
            estimatedRewardAmount: number;
            availableSince: components["schemas"]["Timestamp"];
            graceEndsAt: components["schemas"]["Timestamp"];
            chainId: number;
            tokenAddress: components["schemas"]["Address"];
            factoryAddress: components["schemas"]["Address"];
            salt: string;
            deployed: boolean;
            /** @description The whole transaction but for who distributes. */
            call: {
                to: components["schemas"]["Address"];
                data: string;
                /** @description At this byte of `data` belong the 20 bytes of the caller's address, on TRON without its first one. */
                distributorOffset: number;
                /** @description On TRON only: sun that the energy may cost at most; what runs is paid. */
                feeLimit?: string;
            };
        };
        /** PendingDistributionPage */
        PendingDistributionPage: {
            data: components["schemas"]["PendingDistribution"][];
            /** @description Goes into `cursor` for the next page; null on the last. */
            nextCursor: string | null;
            hasMore: boolean;
        };
        /**
         * PreparedAuthorizations
         * @description What a payer signs: one of them, for what is asked at this moment.
         */
        PreparedAuthorizations: {
            authorizations: {
                token: components["schemas"]["Token"];
                network: components["schemas"]["Network"];
                tokenAddress: components["schemas"]["Address"];
                typedData: {
                    types: {
                        EIP712Domain: {
                            name: string;
                            type: string;
                        }[];
                        TransferWithAuthorization: {
                            name: string;
                            type: string;
                        }[];
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
                        /** @description A whole number, as text. */
                        value: string;
                        /** @description A whole number, as text. */
                        validAfter: string;
                        /** @description A whole number, as text. */
                        validBefore: string;
                        nonce: string;
                    };
                };
            }[];
        };
        /**
         * Recipient
         * @description A wallet that charges may pay besides the merchant.
         */
        Recipient: {
            id: string;
            environment: components["schemas"]["Environment"];
            address: components["schemas"]["Address"];
            label?: string;
            /** @description May be an API key's payout address. */
            payout: boolean;
            createdAt: components["schemas"]["Timestamp"];
        };
        /** RecipientPage */
        RecipientPage: {
            data: components["schemas"]["Recipient"][];
            /** @description Goes into `cursor` for the next page; null on the last. */
            nextCursor: string | null;
            hasMore: boolean;
        };
        /**
         * RecipientTransferability
         * @description Every acceptable EVM pair; none for a TRON address.
         */
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
        /**
         * RegisterRecipient
         * @example {
         *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "label": "Partner"
         *     }
         */
        RegisterRecipient: {
            /** @description An EVM (0x…) or TRON (T…) wallet. */
            address: string;
            /** @description For your own books. */
            label?: string;
        };
        /**
         * RequestQuote
         * @example {
         *       "inputToken": "ETH",
         *       "inputNetwork": "base",
         *       "takerAddress": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
         *     }
         */
        RequestQuote: {
            /**
             * @description An asset that can be swapped into a stablecoin.
             * @enum {string}
             */
            inputToken: "ETH" | "BNB" | "POL" | "AVAX" | "BTC" | "LINK" | "ARB" | "OP" | "CBETH";
            inputNetwork: components["schemas"]["Network"];
            takerAddress: string;
        };
        /**
         * RotateSecret
         * @example {
         *       "expireOldNow": false
         *     }
         */
        RotateSecret: {
            /**
             * @description The old secret signs no more; otherwise it does for 24 hours.
             * @default false
             */
            expireOldNow?: boolean;
        };
        /**
         * SandboxEvent
         * @description What is to happen to the charge.
         * @enum {string}
         */
        SandboxEvent: "charge.confirmed" | "charge.partially_paid" | "charge.overpaid" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed";
        /**
         * SandboxTrigger
         * @example {
         *       "event": "charge.confirmed"
         *     }
         */
        SandboxTrigger: {
            event: components["schemas"]["SandboxEvent"];
            /** @description Of the simulated payment. By default what is missing (`charge.confirmed`), half of the charge (`charge.partially_paid`), or what makes one and a half of it (`charge.overpaid`); the other events have none. */
            amount?: number;
            token?: components["schemas"]["Token"];
            network?: components["schemas"]["Network"];
            /**
             * @description Who makes the simulated payment, whom a refund of its escrow goes to. By default the releaser of the escrow.
             * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
             */
            from?: string;
        };
        /**
         * SetRecipientPayout
         * @example {
         *       "payout": true
         *     }
         */
        SetRecipientPayout: {
            payout: boolean;
        };
        /**
         * SettlementStatus
         * @description Whether the merchant has his money.
         * @enum {string}
         */
        SettlementStatus: "pending" | "completed" | "failed";
        /**
         * SignedAuthorization
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
            /** @description The payer. */
            from: string;
            /** @description The token's smallest units: all that was asked. */
            value: string;
            /** @description Unix seconds. */
            validAfter: string;
            /** @description Unix seconds: at most 15 minutes from now, and not after `expiresAt`. */
            validBefore: string;
            /** @description 32 bytes in hex. */
            nonce: string;
            /** @description Of a key 65 bytes, v 27 or 28; of a contract what its `isValidSignature` reads. */
            signature: string;
        };
        /** SplitRecipientInput */
        SplitRecipientInput: {
            /** @description A recipient registered before, `rc_…`. */
            recipientId: string;
            /** @description Of the merchant's net share, not of `amount`; up to 20 fractional digits. */
            percent: number;
            label?: string;
        };
        /** SplitRecipientView */
        SplitRecipientView: {
            address: components["schemas"]["Address"];
            /** @description Of the merchant's net share, as it was given. */
            percent: number;
            label?: string;
        };
        /** SwapAlternative */
        SwapAlternative: {
            /** @enum {string} */
            token: "ETH" | "BNB" | "POL" | "AVAX" | "BTC" | "LINK" | "ARB" | "OP" | "CBETH";
            network: components["schemas"]["Network"];
        };
        /**
         * SwapFees
         * @description In units of the output token, and part of `inputAmount` already.
         */
        SwapFees: {
            serviceFee: number;
            providerFee: number | null;
            serviceFeeExact?: components["schemas"]["ExactAmount"] | null;
            providerFeeExact?: components["schemas"]["ExactAmount"] | null;
        };
        /**
         * SwapPermit
         * @description For an ERC-20 input: `eip712` is signed as typed data, and the signature goes behind `transaction.data` with its length as 32 bytes before it.
         */
        SwapPermit: {
            /** @enum {string} */
            type: "Permit2";
            hash: string;
            eip712: {
                domain: {
                    name: string;
                    chainId: number;
                    verifyingContract: components["schemas"]["Address"];
                };
                types: {
                    EIP712Domain: {
                        name: string;
                        type: string;
                    }[];
                    PermitTransferFrom: {
                        name: string;
                        type: string;
                    }[];
                    TokenPermissions: {
                        name: string;
                        type: string;
                    }[];
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
        /** SwapQuote */
        SwapQuote: {
            /**
             * @description An asset that can be swapped into a stablecoin.
             * @enum {string}
             */
            inputToken: "ETH" | "BNB" | "POL" | "AVAX" | "BTC" | "LINK" | "ARB" | "OP" | "CBETH";
            inputNetwork: components["schemas"]["Network"];
            /** @description The most it costs; what is not needed comes back in the same transaction. */
            inputAmount: number;
            inputAmountExact?: components["schemas"]["ExactAmount"];
            outputToken: components["schemas"]["Token"];
            outputNetwork: components["schemas"]["Network"];
            /** @description What arrives at the charge: what remains of it, rounded up to the token’s smallest unit. */
            outputAmount: number;
            outputAmountExact?: components["schemas"]["ExactAmount"];
            fees: components["schemas"]["SwapFees"];
            transaction: components["schemas"]["SwapTransaction"];
            /** @description Null for the native coin. */
            permit2: components["schemas"]["SwapPermit"] | null;
            /** @description Whom the payer allows to spend the input token, once for all swaps; null for the native coin. */
            allowanceTarget: components["schemas"]["Address"] | null;
            expiresAt: components["schemas"]["Timestamp"];
        };
        /**
         * SwapTransaction
         * @description What the wallet sends, from `takerAddress`.
         */
        SwapTransaction: {
            to: components["schemas"]["Address"];
            data: string;
            /** @description Of the native coin, in wei, as a decimal string; "0" for an ERC-20 input. */
            value: string;
            gas?: string;
        };
        /** Timeline */
        Timeline: components["schemas"]["TimelineEvent"][];
        /**
         * TimelineEvent
         * @description One thing that happened to a charge.
         */
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
        } | {
            /** @enum {string} */
            type: "webhook.dispatched" | "webhook.delivered" | "webhook.failed";
            at: components["schemas"]["Timestamp"];
            webhookId: string;
            deliveryId: string;
        };
        /**
         * Timestamp
         * @description ISO 8601 in UTC, with milliseconds.
         * @example 2026-11-21T12:00:00.000Z
         */
        Timestamp: string;
        /**
         * Token
         * @description A stablecoin.
         * @enum {string}
         */
        Token: "USDC" | "USDT";
        /**
         * TransferStatus
         * @description What a token's issuer says, as a quorum of nodes reports it: `unknown` is no answer, or no agreement.
         * @enum {string}
         */
        TransferStatus: "allowed" | "restricted" | "unknown";
        /**
         * UpdateWebhook
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
            /** @description https, public, without credentials, at most 2048 characters. */
            url?: string;
            /** @description By name, or `*`; this or `eventCategories` names something. */
            events?: ("charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "*")[];
            eventCategories?: components["schemas"]["WebhookEventCategory"][];
            /** @description What not to send, whatever else says so. */
            excludeEvents?: components["schemas"]["WebhookEventType"][];
        };
        /** Webhook */
        Webhook: {
            id: string;
            url: string;
            events: ("charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "*")[];
            eventCategories: components["schemas"]["WebhookEventCategory"][];
            excludeEvents: components["schemas"]["WebhookEventType"][];
            environment: components["schemas"]["Environment"] | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description The beginning of the secret. */
            hint: string;
        };
        /**
         * WebhookEvent
         * @description What a webhook gets; the same bytes on every attempt.
         */
        WebhookEvent: components["schemas"]["ChargeEvent"] | components["schemas"]["EndpointEvent"] | components["schemas"]["EndpointHealthEvent"];
        /**
         * WebhookEventCategory
         * @enum {string}
         */
        WebhookEventCategory: "payments" | "webhooks";
        /**
         * WebhookEventType
         * @enum {string}
         */
        WebhookEventType: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy";
        /** WebhookList */
        WebhookList: components["schemas"]["Webhook"][];
        /** WebhookWithSecret */
        WebhookWithSecret: {
            id: string;
            url: string;
            events: ("charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "*")[];
            eventCategories: components["schemas"]["WebhookEventCategory"][];
            excludeEvents: components["schemas"]["WebhookEventType"][];
            environment: components["schemas"]["Environment"] | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description Shown only here. */
            secret: string;
        };
    };
    responses: {
        /**
         * @description `missing_api_key`: The header `Authorization` is missing.
         *
         *     `invalid_api_key`: The API key is unknown or was revoked.
         *
         *     `payout_address_revoked`: A payout address of the key was revoked as a recipient.
         */
        Unauthorized: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large`: The body is above 64 KiB, or above 96 KiB for a new charge. */
        PayloadTooLarge: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unsupported_media_type`: The body is not `application/json` in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limited`: Too many requests; wait for `Retry-After`. */
        RateLimited: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error`: A fault of ours; tell us the `Request-Id`. */
        InternalError: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Names the request; tell us when you ask about it. */
        "Request-Id": string;
        /** @description What is left of each limit: `"default";r=99;t=42`, requests and seconds until the window ends. */
        RateLimit: string;
        /** @description The limits that hold: `"default";q=100;w=60`, requests and seconds. */
        "RateLimit-Policy": string;
        /** @description Seconds after which to try again. */
        "Retry-After": number;
        /** @description How to authenticate, or the scope that is missing. */
        "WWW-Authenticate": string;
    };
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
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description It does not work now; the body says what it says when it does. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
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
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capabilities"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients. */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCharges: {
        parameters: {
            query?: {
                /** @description `pending`: nothing credited; `partially_paid`; `confirmed`: paid in full; `expired`: nothing came in time; `underpaid`: too little did. */
                status?: components["schemas"]["ChargeStatus"];
                /** @description A stablecoin. */
                token?: components["schemas"]["Token"];
                /** @description A chain that payments come on. */
                network?: components["schemas"]["Network"];
                /** @description Chosen by the API key alone: `svc_live_…` or `svc_test_…`. */
                environment?: components["schemas"]["Environment"];
                /** @description A timestamp: charges created at or after it. */
                since?: string;
                /** @description A timestamp: charges created before it. */
                until?: string;
                /** @description Exactly this `externalRef`. */
                externalRef?: string;
                isOverpaid?: "true" | "false";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChargePage"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `environment_mismatch`: The environment is not the key's. */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCharge: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same as `idempotencyKey` in the body, 1 to 255 visible ASCII characters. If both are given and differ, the answer is `400 validation_error`. */
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
            /** @description Done. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` where the charge was there already. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The same `idempotencyKey` came with another body. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `payout_address_missing`: The key has no payout address of the family of the accepted networks; use one that has.
             *
             *     `token_not_supported`: A pair is not configured for the environment, or its network has no Safe contracts for the escrow; `param` names the first.
             *
             *     `recipient_not_found_in_split`: A `recipientId` is unknown, revoked or of the other environment.
             *
             *     `split_recipients_exceed_available_percent`: The percents add up to more than `100 - feePercent`.
             *
             *     `split_recipient_is_treasury_address`: A recipient is the service's own fee address.
             *
             *     `split_recipient_is_payout_address`: A recipient is the key's own payout address.
             *
             *     `recipient_transfer_restricted`: An issuer does not let somebody receive on a pair; the message lists the pairs to drop.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `rpc_unavailable`: Too few nodes of a chain answer that must be asked, or they contradict each other; try again.
             *
             *     `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be watched now.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    followCharge: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last event that was read. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
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
            /** @description There is nothing more to tell: `Last-Event-ID` is the final frame’s. It keeps an `EventSource` from coming again. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `sse_capacity`: Too many open streams; close some, or read instead.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkCharge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CheckHint"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedCharge"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_in_progress`: The same is under way for this charge; wait for it. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description `payment_pair_not_accepted`: The charge does not accept this pair. */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `rpc_unavailable`: Too few nodes of a chain answer that must be asked, or they contradict each other; try again.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    drawQrcode: {
        parameters: {
            query?: {
                /** @description A stablecoin. */
                token?: components["schemas"]["Token"];
                /** @description A chain that payments come on. */
                network?: components["schemas"]["Network"];
            };
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_payable`: The charge is final, or nothing remains to be paid. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `payment_pair_required`: The charge accepts several pairs; name one.
             *
             *     `payment_pair_not_accepted`: The charge does not accept this pair.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be watched now.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestQuote"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SwapQuote"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_payable`: The charge is final, or nothing remains to be paid. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `token_not_supported`: A pair is not configured for the environment, or its network has no Safe contracts for the escrow; `param` names the first.
             *
             *     `swap_test_environment_unsupported`: Test charges cannot be paid by swapping.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be watched now.
             *
             *     `swap_unavailable`: Swapping is not configured here.
             *
             *     `swap_quote_failed`: The swap provider gave no quote; try again.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EscrowSigningTransaction"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `escrow_already_released`: The escrow was released before.
             *
             *     `escrow_already_refunded`: The escrow was refunded before.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `escrow_not_enabled`: The charge was created without `escrow`, so its money is paid out by itself. To release or refund, create the next charge with `escrow`.
             *
             *     `escrow_empty`: The escrow holds nothing.
             *
             *     `escrow_multiple_payment_pairs`: The charge was paid in more than one pair; the releaser moves the funds on chain.
             *
             *     `escrow_safe_mismatch`: The custody contract cannot be rebuilt at this address; this does not pass.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `rpc_unavailable`: Too few nodes of a chain answer that must be asked, or they contradict each other; try again.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    orderEscrowRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EscrowOrder"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            /**
             * @description `validation_error`: The request is not valid; `param` names the field.
             *
             *     `escrow_invalid_signature`: The signature is not of what was prepared; prepare and sign again.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `escrow_already_released`: The escrow was released before.
             *
             *     `escrow_already_refunded`: The escrow was refunded before.
             *
             *     `request_in_progress`: The same is under way for this charge; wait for it.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `recipient_transfer_restricted`: An issuer does not let somebody receive on a pair; the message lists the pairs to drop.
             *
             *     `escrow_not_enabled`: The charge was created without `escrow`, so its money is paid out by itself. To release or refund, create the next charge with `escrow`.
             *
             *     `escrow_empty`: The escrow holds nothing.
             *
             *     `escrow_multiple_payment_pairs`: The charge was paid in more than one pair; the releaser moves the funds on chain.
             *
             *     `escrow_safe_mismatch`: The custody contract cannot be rebuilt at this address; this does not pass.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `rpc_unavailable`: Too few nodes of a chain answer that must be asked, or they contradict each other; try again.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    prepareEscrowRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EscrowSigningTransaction"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `escrow_already_released`: The escrow was released before.
             *
             *     `escrow_already_refunded`: The escrow was refunded before.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `escrow_not_enabled`: The charge was created without `escrow`, so its money is paid out by itself. To release or refund, create the next charge with `escrow`.
             *
             *     `escrow_empty`: The escrow holds nothing.
             *
             *     `escrow_multiple_payment_pairs`: The charge was paid in more than one pair; the releaser moves the funds on chain.
             *
             *     `escrow_safe_mismatch`: The custody contract cannot be rebuilt at this address; this does not pass.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `rpc_unavailable`: Too few nodes of a chain answer that must be asked, or they contradict each other; try again.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    orderEscrowRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EscrowOrder"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            /**
             * @description `validation_error`: The request is not valid; `param` names the field.
             *
             *     `escrow_invalid_signature`: The signature is not of what was prepared; prepare and sign again.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `escrow_already_released`: The escrow was released before.
             *
             *     `escrow_already_refunded`: The escrow was refunded before.
             *
             *     `request_in_progress`: The same is under way for this charge; wait for it.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `recipient_transfer_restricted`: An issuer does not let somebody receive on a pair; the message lists the pairs to drop.
             *
             *     `escrow_not_enabled`: The charge was created without `escrow`, so its money is paid out by itself. To release or refund, create the next charge with `escrow`.
             *
             *     `escrow_empty`: The escrow holds nothing.
             *
             *     `escrow_multiple_payment_pairs`: The charge was paid in more than one pair; the releaser moves the funds on chain.
             *
             *     `escrow_safe_mismatch`: The custody contract cannot be rebuilt at this address; this does not pass.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `rpc_unavailable`: Too few nodes of a chain answer that must be asked, or they contradict each other; try again.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    prepareAuthorization: {
        parameters: {
            query: {
                /** @description Who will sign, and pays. */
                payer: string;
            };
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreparedAuthorizations"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `charge_not_payable`: The charge is final, or nothing remains to be paid.
             *
             *     `payment_in_progress`: A payment by signature is under way for this charge, or of this payer; read the charge, and have nothing signed before it is over.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be watched now.
             *
             *     `signature_payment_unavailable`: Signatures are not taken for this charge or pair now: none is offered, it is too little, too many came to nothing, gas is too dear, or our account for it is empty. Nothing was sent; pay by a transfer.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    submitAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedAuthorization"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            /**
             * @description `validation_error`: The request is not valid; `param` names the field.
             *
             *     `authorization_invalid`: The authorization is not what the charge asks for, or not signed by its payer; `param` names the field. Nothing was sent.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `charge_not_payable`: The charge is final, or nothing remains to be paid.
             *
             *     `payment_in_progress`: A payment by signature is under way for this charge, or of this payer; read the charge, and have nothing signed before it is over.
             *
             *     `authorization_used`: The nonce of the authorization was spent for something else, or canceled; nothing was sent.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `payment_pair_not_accepted`: The charge does not accept this pair.
             *
             *     `insufficient_balance`: The payer has less of the token than he signed for; nothing was sent.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `payment_temporarily_unavailable`: Payments on a pair are paused, or its chain cannot be watched now.
             *
             *     `signature_payment_unavailable`: Signatures are not taken for this charge or pair now: none is offered, it is too little, too many came to nothing, gas is too dear, or our account for it is empty. Nothing was sent; pay by a transfer.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientPage"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description Done. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `recipient_not_found`: There is no such recipient for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `recipient_not_found`: There is no such recipient for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setRecipientPayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetRecipientPayout"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `recipient_not_found`: There is no such recipient for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRecipientTransferability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `rc_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientTransferability"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `recipient_not_found`: There is no such recipient for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPendingDistributions: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingDistributionPage"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients. */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    followPendingDistributions: {
        parameters: {
            query?: {
                /** @description How many of those there are come first. */
                limit?: number;
            };
            header?: {
                /** @description The `id` of the last event that was read: what came after it comes first. One that cannot be read starts anew. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
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
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients. */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `sse_capacity`: Too many open streams; close some, or read instead.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description Done. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /**
             * @description `validation_error`: The request is not valid; `param` names the field.
             *
             *     `invalid_webhook_url`: The URL is none, or longer than 2048 characters.
             *
             *     `insecure_webhook_url`: The URL does not begin with https.
             *
             *     `unresolvable_webhook_url`: The URL's host has no address.
             *
             *     `unsafe_webhook_url`: The URL leads to an address that is not public, or has credentials in it.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description `webhook_limit_reached`: There are 20 webhooks; delete one first. */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listenToWebhookEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last event that was read: what came after it comes first. One that cannot be read starts anew. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
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
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `sse_capacity`: Too many open streams; close some, or read instead.
             *
             *     `service_unavailable`: The service cannot do this now; try again after `Retry-After`.
             */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_not_found`: There is no such webhook for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_not_found`: There is no such webhook for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /**
             * @description `validation_error`: The request is not valid; `param` names the field.
             *
             *     `invalid_webhook_url`: The URL is none, or longer than 2048 characters.
             *
             *     `insecure_webhook_url`: The URL does not begin with https.
             *
             *     `unresolvable_webhook_url`: The URL's host has no address.
             *
             *     `unsafe_webhook_url`: The URL leads to an address that is not public, or has credentials in it.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_not_found`: There is no such webhook for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_not_found`: There is no such webhook for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_not_found`: There is no such webhook for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                event?: "charge.created" | "charge.partially_paid" | "charge.confirmed" | "charge.expired" | "charge.underpaid" | "charge.settled" | "charge.settlement_failed" | "charge.overpaid" | "charge.escrow_released" | "charge.escrow_refunded" | "webhook.delivery_failed" | "webhook.delivery_recovered" | "webhook.endpoint_unhealthy" | "webhook.test";
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description `nextCursor` of the page before; opaque. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_not_found`: There is no such webhook for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `wh_…` */
                id: string;
                /** @description `dl_…` */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `webhook_not_found`: There is no such webhook for this key.
             *
             *     `delivery_not_found`: This webhook has no such delivery.
             */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricsAnswer"];
                };
            };
            /** @description `validation_error`: The request is not valid; `param` names the field. */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `environment_mismatch`: The environment is not the key's.
             *
             *     `query_too_expensive`: The query took longer than 5 seconds; ask for less.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggerSandboxEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `ch_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxTrigger"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charge"];
                };
            };
            /**
             * @description `validation_error`: The request is not valid; `param` names the field.
             *
             *     `invalid_amount`: The amount goes in the wrong direction for this event.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The key lacks the scope.
             *
             *     `conflicting_api_key_scopes`: The key holds `charges:split_write` together with a scope that registers recipients.
             *
             *     `forbidden`: Not with this key: the sandbox is for test keys.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `charge_not_found`: There is no such charge for this key. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_in_progress`: The same is under way for this charge; wait for it. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `payment_pair_not_accepted`: The charge does not accept this pair.
             *
             *     `invalid_trigger_state`: The charge cannot get there from its present state.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description `service_unavailable`: The service cannot do this now; try again after `Retry-After`. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description Done. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description Changes with the document. */
                    ETag?: string;
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
    receiveChargeCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargePartiallyPaid: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeConfirmed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeExpired: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeUnderpaid: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeSettled: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeSettlementFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeOverpaid: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeEscrowReleased: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveChargeEscrowRefunded: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookDeliveryFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookDeliveryRecovered: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookEndpointUnhealthy: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointHealthEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the event. */
                "X-Service-Delivery": string;
                /** @description The type of the event. */
                "X-Service-Event": string;
                /** @description `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated. */
                "X-Service-Signature": string;
                /** @description The `id` of the event, as Standard Webhooks name it. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointEvent"];
            };
        };
        responses: {
            /** @description Delivered. Any 2xx within 8 seconds will do; the body is not read. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered, like any other answer, redirects included; five attempts in 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
