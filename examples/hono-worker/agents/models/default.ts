// Which model answers. The provider "test" needs no key and plays the script. Replace it by a real provider.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "test",
  model: "scripted",
  script: (request) => ({ text: `You said: ${request.lastUser}` }),
});
