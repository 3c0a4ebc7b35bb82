# Docent in one image: the service, its command line and the widget.
# /site is the folder with docent.config.mjs, in which server.host is '0.0.0.0' and server.dataFolder is '/data'.
#   docker build -t docent .
#   docker run -p 127.0.0.1:4320:4320 -v .:/site:ro -v docent-data:/data docent
FROM node:24-alpine AS build
WORKDIR /source
RUN npm install --global pnpm@12
COPY . .
RUN pnpm install --frozen-lockfile && pnpm build

# Node alone, without npm: half of the usual image.
FROM alpine:3
# git reads repositories of documentation; nothing is ever checked out of them.
# A new volume gets the owner of the folder that it covers.
RUN apk add --no-cache git libstdc++ && adduser -D -u 1000 docent && install -d -o docent -g docent -m 700 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /source/server/dist /opt/docent
RUN ln -s /opt/docent/docent.cjs /usr/local/bin/docent
USER docent
WORKDIR /site
ENV NODE_ENV=production
EXPOSE 4320
HEALTHCHECK --interval=30s --timeout=3s CMD wget -q -O /dev/null http://127.0.0.1:4320/readyz
ENTRYPOINT ["docent"]
CMD ["serve"]
