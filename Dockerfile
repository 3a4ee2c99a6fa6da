# The fake platform as an image: goreleaser builds it from the binary of a
# release, which needs nothing around it.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/mockplatform /
USER 65534
EXPOSE 18080
ENTRYPOINT ["/mockplatform", "-addr", "0.0.0.0:18080"]
