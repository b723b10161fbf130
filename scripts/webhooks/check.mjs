// Verifies signed requests with the JavaScript library, and key pairs with node:crypto.
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const signed = JSON.parse(readFileSync(process.argv[2], "utf8"));
const accepts = (request, secret) => {
  try {
    new Webhook(secret).verify(request.body, request.headers);
    return true;
  } catch {
    return false;
  }
};
const expect = (is, should, what) => {
  if (is !== should) {
    console.error(`npm standardwebhooks: ${what} is ${is ? "accepted" : "refused"}`);
    process.exit(1);
  }
};
const [one, two, old, pair] = signed.requests;
expect(accepts(one, signed.secret), true, "a signed request");
expect(accepts(one, signed.old_secret), false, "another secret");
expect(accepts(two, signed.secret), true, "the new secret of two");
expect(accepts(two, signed.old_secret), true, "the old secret of two");
expect(accepts(old, signed.secret), false, "an old timestamp");
expect(accepts({ ...one, body: `${one.body} ` }, signed.secret), false, "a changed body");

// The library does not support key pairs, so the signature is verified as the standard specifies.
const raw = Buffer.from(signed.public_key.replace("whpk_", ""), "base64");
const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
const key = createPublicKey({ key: spki, format: "der", type: "spki" });
const { headers, body } = pair;
const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
const [version, signature] = headers["webhook-signature"].split(",");
const isGood = version === "v1a" && verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
expect(isGood, true, "a request signed with a key pair");
console.log("npm standardwebhooks: v1 checked, v1a checked with node:crypto");
